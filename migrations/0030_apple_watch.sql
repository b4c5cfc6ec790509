-- What Apple publishes of itself, as it is known and as it was seen last. The rows are the system team's, since they
-- concern the whole installation. Nothing is trusted by them.
CREATE TABLE apple_publications (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    document text COLLATE "C" NOT NULL CHECK (document IN ('discovery', 'keys')),
    -- Texts by their names; at first what is pinned, later what an operator approved.
    known jsonb NOT NULL,
    seen jsonb NOT NULL,
    seen_at timestamptz NOT NULL,
    differs_since timestamptz,
    PRIMARY KEY (team_id, document)
);
SELECT pippin_wall('apple_publications');
GRANT SELECT, INSERT, UPDATE, DELETE ON apple_publications TO pippin_app;
