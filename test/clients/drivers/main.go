// Does what the lines on standard input say, and tells on standard output what came of it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"example.test/driver/contextd"
)

var mutex sync.Mutex

func tell(what string, value any) {
	mutex.Lock()
	defer mutex.Unlock()
	json.NewEncoder(os.Stdout).Encode(map[string]any{what: value})
}

func follow() {
	client, lastID := contextd.Client{}, ""
	for wasOpen := false; ; time.Sleep(time.Second) {
		var err error
		lastID, err = client.Follow(context.Background(), lastID, func(event json.RawMessage) { tell("event", event) })
		if err != nil && !wasOpen {
			tell("failure", err.Error())
			return
		}
		wasOpen = true
	}
}

func main() {
	client := contextd.Client{}
	ctx := context.Background()
	for lines := json.NewDecoder(bufio.NewReader(os.Stdin)); ; {
		var step struct {
			Do, Method, Path string
			Request          map[string]any
			Grant            bool
			Body             any
			Headers          map[string]string
		}
		if lines.Decode(&step) != nil {
			return
		}
		what, answer := "answer", any(nil)
		var err error
		switch step.Do {
		case "context":
			var result *contextd.Result
			result, err = client.Context(ctx, step.Request, step.Grant)
			items := []map[string]string{}
			for _, item := range result.Items {
				items = append(items, map[string]string{"kind": item.Kind, "name": item.Name, "content": item.Content})
			}
			answer = map[string]any{"items": items, "digest": result.Digest}
		case "request":
			err = client.Do(ctx, step.Method, step.Path, step.Body, &answer)
			// An answer that nobody wants is no failure.
			if err == nil && step.Method == "GET" {
				err = client.Do(ctx, step.Method, step.Path, nil, nil)
			}
		case "open":
			header := http.Header{}
			for name, value := range step.Headers {
				header.Set(name, value)
			}
			var response *http.Response
			if response, err = client.Open(ctx, step.Method, step.Path, step.Body, header); err == nil {
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				what, answer = "opened", map[string]string{"etag": response.Header.Get("ETag"), "text": string(text)}
			}
		default:
			go follow()
			continue
		}
		var problem *contextd.Problem
		if errors.As(err, &problem) {
			told := map[string]any{"status": problem.Status, "code": problem.Code, "detail": problem.Detail, "text": err.Error()}
			if len(problem.Errors) > 0 {
				told["pointer"] = problem.Errors[0].Pointer
			}
			tell("problem", told)
		} else if err != nil {
			tell("failure", err.Error())
		} else {
			tell(what, answer)
		}
	}
}
