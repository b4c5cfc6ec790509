-- What Apple said when a connection was tested, by the client at Apple that was tried. Beside it what was tried with:
-- the result says nothing of other values.
CREATE TABLE apple_connection_tests (
    team_id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    apple_team_id text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    tested_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, app_id, client_id),
    FOREIGN KEY (team_id, app_id) REFERENCES apple_connections ON DELETE CASCADE
);
SELECT pippin_wall('apple_connection_tests');
GRANT SELECT, INSERT, UPDATE, DELETE ON apple_connection_tests TO pippin_app;
