package maxplus

// A server with processor sharing has a virtual time, which advances at 1/n of the speed while n firings are running.
// Each firing ends when the virtual time has advanced by its service time.

// reach advances the virtual time of a shared server to the time now.
func (s *Simulator) reach(sv *server) {
	if n := len(sv.firing); n > 0 {
		sv.virtual += (s.run.now - sv.since) / float64(n)
	}
	sv.since = s.run.now
}

// first returns the index in sv.firing of the firing that ends next.
func (s *Simulator) first(sv *server) int {
	minimum := 0
	for k := range sv.firing {
		if s.stations[sv.firing[k]].finish < s.stations[sv.firing[minimum]].finish {
			minimum = k
		}
	}
	return minimum
}

// schedule sets the next event of a shared server.
func (s *Simulator) schedule(v int32) {
	sv := &s.servers[v]
	if len(sv.firing) == 0 {
		s.clock.set(v, never)
		return
	}
	left := s.stations[sv.firing[s.first(sv)]].finish - sv.virtual
	s.clock.set(v, s.run.now+max(0, left)*float64(len(sv.firing)))
}

// finishShared completes the firing that ends next, and returns its station.
func (s *Simulator) finishShared(v int32) int32 {
	sv := &s.servers[v]
	k := s.first(sv)
	i := sv.firing[k]
	sv.virtual, sv.since = s.stations[i].finish, s.run.now
	sv.firing = append(sv.firing[:k], sv.firing[k+1:]...)
	s.schedule(v)
	return i
}

func (s *Simulator) startShared(v, i int32, service float64) {
	sv := &s.servers[v]
	s.reach(sv)
	s.stations[i].finish = sv.virtual + service
	sv.firing = append(sv.firing, i)
	s.schedule(v)
}

// beginShared starts all stations of a server that can fire.
func (s *Simulator) beginShared(v int32) {
	sv := &s.servers[v]
	for place := range sv.order {
		s.try(sv, int32(place))
	}
}
