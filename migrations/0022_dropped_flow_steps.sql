-- How many steps of sign-ins a process has not kept, since it started.
ALTER TABLE processes ADD COLUMN flow_steps_dropped bigint NOT NULL DEFAULT 0;
