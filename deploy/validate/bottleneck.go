package validate

import "fmt"

// possibleLimits determines the limits that could be the bottleneck within the intervals of the figures.
func (c *Case) possibleLimits() error {
	ends, err := c.network.Uncertainty(c.solution)
	if err != nil {
		return fmt.Errorf("finding other possible bottlenecks: %w", err)
	}
	c.possible, c.Possible = nil, nil
	if ends == nil {
		return nil
	}
	c.possible = ends.Possible
	for _, l := range ends.Possible {
		c.Possible = append(c.Possible, c.network.Limits[l].Name)
	}
	return nil
}
