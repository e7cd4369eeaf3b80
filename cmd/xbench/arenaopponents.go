package main

import (
	"xopt/bench/arena"
	"xopt/bench/arena/opponents"
)

// arenaOpponents returns the methods that the arena compares with the search.
func arenaOpponents() []arena.Opponent {
	var list []arena.Opponent
	for _, m := range opponents.Methods() {
		list = append(list, arena.Opponent{Name: m.Name, Run: m.Run, NotApplicable: opponents.ErrNotApplicable})
	}
	return list
}
