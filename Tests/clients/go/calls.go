package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"example.org/store/client"
)

// A call of an operation, as calls.json has it.
type call struct {
	Id         string
	Path       string
	Parameters []string
	IsStream   bool
	Place      map[string]json.RawMessage
	Query      map[string]json.RawMessage
	Body       json.RawMessage
}

func folded(name string) string {
	return strings.Map(func(sign rune) rune {
		if sign >= 'a' && sign <= 'z' || sign >= '0' && sign <= '9' {
			return sign
		}
		return -1
	}, strings.ToLower(name))
}

// value reads JSON as a type that a method takes.
func value(text json.RawMessage, kind reflect.Type) (reflect.Value, error) {
	if kind == reflect.TypeOf((*os.File)(nil)) {
		return lines(text)
	}
	made := reflect.New(kind)
	err := json.Unmarshal(text, made.Interface())
	return made.Elem(), err
}

// lines makes a file of a text, as which the client takes lines of JSON.
func lines(text json.RawMessage) (reflect.Value, error) {
	var content string
	if err := json.Unmarshal(text, &content); err != nil {
		return reflect.Value{}, err
	}
	name := "lines"
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		return reflect.Value{}, err
	}
	file, err := os.Open(name)
	return reflect.ValueOf(file), err
}

// method finds a method by the letters and digits of its name.
func method(holder reflect.Value, name string) (reflect.Value, bool) {
	for index := 0; index < holder.NumMethod(); index++ {
		if folded(holder.Type().Method(index).Name) == folded(name) {
			return holder.Method(index), true
		}
	}
	return reflect.Value{}, false
}

// set gives a request an argument.
func set(request reflect.Value, setter reflect.Value, text json.RawMessage) (reflect.Value, error) {
	argument, err := value(text, setter.Type().In(0))
	if err != nil {
		return request, err
	}
	return setter.Call([]reflect.Value{argument})[0], nil
}

// body finds the method that takes the body: it is none of the operation's parameters.
func body(request reflect.Value, parameters []string) (reflect.Value, bool) {
	known := map[string]bool{"execute": true}
	for _, name := range parameters {
		known[folded(name)] = true
	}
	for index := 0; index < request.NumMethod(); index++ {
		if !known[folded(request.Type().Method(index).Name)] {
			return request.Method(index), true
		}
	}
	return reflect.Value{}, false
}

func (made call) run(store *client.APIClient) error {
	limit := time.Minute
	if made.IsStream {
		// It has no end: what has come by then is its reply.
		limit = 2 * time.Second
	}
	background, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	services := reflect.ValueOf(store).Elem()
	for index := 0; index < services.NumField(); index++ {
		if !services.Type().Field(index).IsExported() {
			continue
		}
		begin, found := method(services.Field(index), made.Id)
		if !found {
			continue
		}
		arguments := []reflect.Value{reflect.ValueOf(background)}
		for _, step := range strings.Split(made.Path, "{")[1:] {
			name := step[:strings.Index(step, "}")]
			argument, err := value(made.Place[name], begin.Type().In(len(arguments)))
			if err != nil {
				return err
			}
			arguments = append(arguments, argument)
		}
		request := begin.Call(arguments)[0]
		for name, text := range made.Query {
			setter, found := method(request, name)
			if !found {
				return fmt.Errorf("it takes no %s", name)
			}
			var err error
			if request, err = set(request, setter, text); err != nil {
				return err
			}
		}
		if string(made.Body) != "null" {
			setter, found := body(request, made.Parameters)
			if !found {
				return fmt.Errorf("it takes no body")
			}
			var err error
			if request, err = set(request, setter, made.Body); err != nil {
				return err
			}
		}
		results := request.MethodByName("Execute").Call(nil)
		err, _ := results[len(results)-1].Interface().(error)
		if reply, _ := results[len(results)-2].Interface().(*http.Response); err != nil && reply != nil {
			if made.IsStream && reply.StatusCode == http.StatusOK {
				return nil
			}
			text, _ := io.ReadAll(reply.Body)
			return fmt.Errorf("%w: %s", err, text)
		}
		return err
	}
	return fmt.Errorf("there is no such method")
}

// Calls every operation once: those of calls.json.
func callAll(store *client.APIClient) {
	text, err := os.ReadFile("calls.json")
	check(err)
	var calls []call
	check(json.Unmarshal(text, &calls))
	count := 0
	for _, made := range calls {
		if err := made.run(store); err != nil {
			fmt.Printf("%s: %v\n", made.Id, err)
		} else {
			count++
		}
	}
	fmt.Println("called", count)
}
