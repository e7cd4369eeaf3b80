package validate

import "fmt"

// perhapsLimiting finds which limits could be the bottleneck within the intervals of figures.
func (c *Case) perhapsLimiting() error {
	ends, err := c.network.Ends(c.solution)
	if err != nil {
		return fmt.Errorf("finding what else may limit: %w", err)
	}
	c.perhaps, c.Perhaps = nil, nil
	if ends == nil {
		return nil
	}
	c.perhaps = ends.Perhaps
	for _, l := range ends.Perhaps {
		c.Perhaps = append(c.Perhaps, c.network.Limits[l].Name)
	}
	return nil
}
