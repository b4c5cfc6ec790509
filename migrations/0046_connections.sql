-- How many connections and descriptors a process has, and what it did not take, as of its last sign of life.
ALTER TABLE processes
    ADD COLUMN connections integer NOT NULL DEFAULT 0,
    ADD COLUMN connections_peak integer NOT NULL DEFAULT 0,
    ADD COLUMN connection_limit integer NOT NULL DEFAULT 0,
    ADD COLUMN connections_refused_by_address bigint NOT NULL DEFAULT 0,
    ADD COLUMN connections_refused_for_room bigint NOT NULL DEFAULT 0,
    ADD COLUMN connections_displaced bigint NOT NULL DEFAULT 0,
    -- How often there was no descriptor left for a connection that waited.
    ADD COLUMN descriptor_shortages bigint NOT NULL DEFAULT 0,
    ADD COLUMN descriptors integer NOT NULL DEFAULT 0,
    ADD COLUMN descriptor_limit integer NOT NULL DEFAULT 0;
