-- How many requests a process has answered 429 and 503.
ALTER TABLE processes
    ADD COLUMN requests_refused_429 bigint NOT NULL DEFAULT 0,
    ADD COLUMN requests_refused_503 bigint NOT NULL DEFAULT 0;
