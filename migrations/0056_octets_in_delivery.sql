-- What a process holds of answers that clients have yet to take, and how many of them it gave up for others.
ALTER TABLE processes
    ADD COLUMN octets_in_delivery bigint NOT NULL DEFAULT 0,
    ADD COLUMN answers_given_up bigint NOT NULL DEFAULT 0;
