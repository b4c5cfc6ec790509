-- How often each rate limit has refused something, as name=count with commas between.
ALTER TABLE processes ADD COLUMN requests_limited text COLLATE "C" NOT NULL DEFAULT '';
