-- The master keys that sealed anything here, each with a known text that it sealed: so a server with the key of another
-- installation, or with none, is refused before it writes. Read and written by the owner alone, at the start.
CREATE TABLE master_keys (
    key_id text PRIMARY KEY,
    proof bytea NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);
