-- How many connections a process did not take because those of their site of IPv6 (/48) were too many.
ALTER TABLE processes ADD COLUMN connections_refused_by_site bigint NOT NULL DEFAULT 0;
