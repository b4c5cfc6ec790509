-- When the client secret ends that an app came with last, of those that were made to last: an app that keeps one in its
-- configuration stops one day without a word.
CREATE TABLE client_secret_ends (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL,
    ends_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, client_id),
    FOREIGN KEY (team_id, client_id) REFERENCES client_identifiers (team_id, identifier) ON DELETE CASCADE
);
SELECT pippin_wall('client_secret_ends');
GRANT SELECT, INSERT, UPDATE, DELETE ON client_secret_ends TO pippin_app;
