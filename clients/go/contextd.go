// Package contextd asks contextd which context a model should see. It needs Go 1.19 and nothing else: copy this file.
package contextd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Problem is what the daemon refused (RFC 9457). A Pointer leads to a mistake in the request. Its Message can be the Detail.
type Problem struct {
	Status              int
	Code, Title, Detail string
	Errors              []struct{ Pointer, Message string }
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s: %s. %s %s", p.Code, p.Title, p.Detail, strings.ReplaceAll(fmt.Sprint(p.Errors), " "+p.Detail+"}", "}"))
}

// Result has the items in the order in which they should be sent, and Text where the field render asks for one text.
type Result struct {
	Items        []struct{ Kind, Name, Path, Content string }
	Warnings     []struct{ Code, Message, Path string }
	Digest, Text string
}

// Client finds the daemon, or starts it, and asks it. CONTEXTD_URL and CONTEXTD_TOKEN name another one. For one goroutine.
type Client struct{ URL, Socket, Token string }

// Context sends fields, such as mountedDirectory and documents, to POST /v1/context: all context of a prompt. With grant it
// allows the daemon to read a directory that it may not read yet. Ask your user before.
func (c *Client) Context(ctx context.Context, fields map[string]any, grant bool) (*Result, error) {
	result, problem := &Result{}, &Problem{}
	err := c.Do(ctx, "POST", "/v1/context", fields, result)
	if grant && errors.As(err, &problem) && problem.Code == "path_outside_roots" {
		if err = c.Do(ctx, "POST", "/v1/roots", map[string]any{"path": fields["mountedDirectory"]}, nil); err == nil {
			err = c.Do(ctx, "POST", "/v1/context", fields, result)
		}
	}
	return result, err
}

// Do makes one request and decodes the answer into what answer points to. With nil, nobody wants the answer.
func (c *Client) Do(ctx context.Context, method, path string, body, answer any) error {
	response, err := c.Open(ctx, method, path, body, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer != nil {
		err = json.NewDecoder(response.Body).Decode(answer)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// Follow tells the events after lastID until the stream ends or is silent, and returns the id after which to follow again.
func (c *Client) Follow(ctx context.Context, lastID string, tell func(event json.RawMessage)) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.Open(ctx, "GET", "/v1/events", nil, http.Header{"Last-Event-Id": {lastID}})
	if err != nil {
		return lastID, err
	}
	silence := time.AfterFunc(time.Minute, cancel)
	for lines := bufio.NewReader(stream.Body); ; silence.Reset(time.Minute) {
		line, err := lines.ReadString('\n')
		if err != nil {
			return lastID, nil
		}
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "id":
			lastID = value
		case "data":
			tell(json.RawMessage(value))
		}
	}
}

// Open gives a good answer, to be read and closed: its headers, and a body that need not be JSON. It sends header, such as
// If-Match. It asks once more where the daemon is gone, or another one has its place.
func (c *Client) Open(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	return c.open(ctx, method, path, body, header, false)
}

func (c *Client) open(ctx context.Context, method, path string, body any, header http.Header, isLast bool) (*http.Response, error) {
	payload, err := json.Marshal(body)
	if err == nil && c.Socket == "" {
		err = c.find()
	}
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(payload)), int64(len(payload))
	}
	answer, err := (&http.Transport{DisableKeepAlives: true, DialContext: c.dial}).RoundTrip(request)
	isGone := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist)
	if err == nil && answer.StatusCode >= 400 {
		defer answer.Body.Close()
		problem := &Problem{Status: answer.StatusCode, Title: "This is not contextd"}
		json.NewDecoder(answer.Body).Decode(problem)
		isGone, err = problem.Code == "unauthorized", problem
	}
	if isGone && !isLast {
		c.Socket = ""
		return c.open(ctx, method, path, body, header, true)
	}
	return answer, err
}

// find keeps what CONTEXTD_URL names, or what "contextd ensure" says. A port is not kept: other programs can take it.
func (c *Client) find() error {
	c.URL, c.Token = strings.TrimSuffix(os.Getenv("CONTEXTD_URL"), "/"), os.Getenv("CONTEXTD_TOKEN")
	if strings.HasPrefix(c.URL, "unix:") {
		c.URL, c.Socket = "http://localhost", c.URL[len("unix:"):]
	}
	if c.URL != "" {
		return nil
	}
	found, err := exec.Command("contextd", "ensure", "--json").Output()
	if err == nil {
		err = json.Unmarshal(found, c)
	} else if failed, ok := err.(*exec.ExitError); ok {
		err = errors.New(string(failed.Stderr))
	}
	return err
}

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.Socket != "" {
		network, address = "unix", c.Socket
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}
