// {name}: {manner}.
//
// Written by `tournament new`; make it yours. It reads decisions, a line of JSON each, and writes answers. Every match
// starts it anew, and what it keeps in its variables lasts as long as the match.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// answer returns the answer to a decision; nil if it only tells something. Numbers that are told are float64.
func answer(decision string, told map[string]any) any {
	switch decision {
	// {functions}
	}
	return nil
}

// first returns the first value of a list.
func first(list any) any { return list.([]any)[0] }

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<17) // a line has no more
	in.Scan()             // the number of sessions
	for in.Scan() && strings.HasPrefix(in.Text(), "{") {
		var told map[string]any
		if err := json.Unmarshal(in.Bytes(), &told); err != nil {
			panic(err)
		}
		if chosen := answer(told["decision"].(string), told); chosen != nil {
			text, _ := json.Marshal(chosen)
			fmt.Println("ACTION", string(text))
		}
	}
}
