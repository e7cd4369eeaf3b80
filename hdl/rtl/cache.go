package rtl

import (
	"context"
	"sync"
	"time"

	"xopt/internal/cache"
)

// Cache keeps what tools have made, by the content of what it was made from.
type Cache struct {
	kept *cache.Cache
	look time.Duration // ends a tool that reads a source

	mu       sync.Mutex
	versions map[string]string // of tools
}

// UserCache keeps things in the cache of a context, else in that of this user.
func UserCache(ctx context.Context) *Cache { return NewCache(cache.From(ctx)) }

// NewCache keeps things in a cache.
func NewCache(c *cache.Cache) *Cache {
	return &Cache{kept: c, look: longestLook, versions: make(map[string]string)}
}
