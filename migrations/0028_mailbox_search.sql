-- lower() is not leakproof, so row-level security keeps an index over it from being used; a column may be.
DROP INDEX mailbox_recipient;
ALTER TABLE mailbox ADD COLUMN recipient_key text COLLATE "C" GENERATED ALWAYS AS (lower(recipient)) STORED;
CREATE INDEX mailbox_recipient_key ON mailbox (team_id, recipient_key);
