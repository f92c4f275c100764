"""Stand between a request and its view: headers, middleware, pages for faults."""
