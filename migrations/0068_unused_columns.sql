-- What nothing has written since the limits became one table; servers of 0.1 no longer run beside.
ALTER TABLE processes DROP COLUMN connections_refused_by_site, DROP COLUMN connections_displaced;
ALTER TABLE notices DROP COLUMN turn_at;
