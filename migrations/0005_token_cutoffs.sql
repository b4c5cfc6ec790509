-- The moment before which nothing that was issued counts any more, for a client or, under '*', for the whole team:
-- one row ends a million tokens.
CREATE TABLE token_cutoffs (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL CHECK (length(client_id) BETWEEN 1 AND 255),
    not_before timestamptz NOT NULL,
    PRIMARY KEY (team_id, client_id)
);
SELECT pippin_wall('token_cutoffs');
GRANT SELECT, INSERT, UPDATE, DELETE ON token_cutoffs TO pippin_app;
CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON token_cutoffs
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();
