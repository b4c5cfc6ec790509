-- runs-with: 0001
-- needed: now

-- The day on which the group came from another team at Apple: for sixty days its people are recognised by `transfer_sub`.
-- Null until a token has one, or a member enters the day.
ALTER TABLE apple_connections ADD COLUMN transferred_on date;
