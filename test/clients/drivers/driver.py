"""Does what the lines on standard input say, and tells on standard output what came of it."""

import json
import sys
import threading

import contextd

client = contextd.Client()


def tell(**result):
    print(json.dumps(result), flush=True)


def follow():
    # Its own client: the steps go on beside it.
    for event in contextd.Client().events():
        tell(event=event)


for line in sys.stdin:
    step = json.loads(line)
    try:
        if step["do"] == "context":
            fields = dict(step["request"])
            tell(answer=client.context(fields.pop("mountedDirectory"), grant=step["grant"], **fields))
        elif step["do"] == "request":
            tell(answer=client.request(step["method"], step["path"], step.get("body")))
        elif step["do"] == "open":
            with client.open(step["method"], step["path"], step.get("body"), headers=step.get("headers", {})) as answer:
                tell(opened={"etag": answer.headers["ETag"], "text": answer.read().decode()})
        else:
            threading.Thread(target=follow, daemon=True).start()
    except contextd.Problem as problem:
        tell(problem={"status": problem.status, "code": problem.code, "detail": problem.detail,
                      "pointer": problem.pointer, "text": str(problem)})
    except contextd.ContextdError as error:
        tell(failure=str(error))
