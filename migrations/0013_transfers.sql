-- The transfer of an App ID, and of its people, from one team to another.

-- What one team offers another. Both see the row; the one that offers may take it back, the other one answers.
CREATE TABLE app_transfers (
    -- The team that offers.
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    transfer_id text COLLATE "C" NOT NULL CHECK (transfer_id ~ '^[a-z2-7]{26}$'),
    target_team text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- What the other team will have registered.
    registration jsonb NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'offered'
        CHECK (state IN ('offered', 'accepted', 'declined', 'withdrawn')),
    offered_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (team_id, transfer_id),
    CONSTRAINT app_transfers_target_team_fkey FOREIGN KEY (target_team) REFERENCES teams (team_id),
    CONSTRAINT app_transfers_target_team_check CHECK (target_team <> team_id AND target_team <> 'PIPPIN0000')
);
CREATE UNIQUE INDEX app_transfers_offered_key ON app_transfers (team_id, app_id) WHERE state = 'offered';
CREATE INDEX app_transfers_target_team ON app_transfers (target_team, offered_at);
SELECT pippin_wall('app_transfers');
GRANT SELECT, INSERT ON app_transfers TO pippin_app;
GRANT UPDATE (state, settled_at) ON app_transfers TO pippin_app;
CREATE POLICY target_reads ON app_transfers FOR SELECT TO pippin_app USING (target_team = pippin_team());
CREATE POLICY target_answers ON app_transfers FOR UPDATE TO pippin_app
USING (target_team = pippin_team() AND state = 'offered')
WITH CHECK (target_team = pippin_team() AND state IN ('accepted', 'declined'));
CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON app_transfers
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();

-- What a team has called its people towards another one: one name each, over all apps.
CREATE TABLE transfer_subs (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    target_team text COLLATE "C" NOT NULL,
    transfer_sub text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, sub, target_team),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
SELECT pippin_wall('transfer_subs');
GRANT SELECT, INSERT, UPDATE, DELETE ON transfer_subs TO pippin_app;

-- Who came with an App ID, as the team that received it knows them. The other team puts them here and sees nothing of
-- what becomes of them.
CREATE TABLE transferred_people (
    -- The team that receives.
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    transfer_sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    from_team text COLLATE "C" NOT NULL,
    -- What the person shares with the app; emptied once they are a user of the team.
    shares_name boolean NOT NULL,
    shares_email boolean NOT NULL,
    hides_email boolean NOT NULL,
    given_name text NOT NULL,
    family_name text NOT NULL,
    -- Never the address of someone who hides it.
    email text,
    is_email_verified boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The user they have become.
    sub text COLLATE "C",
    PRIMARY KEY (team_id, transfer_sub, app_id)
);
CREATE INDEX transferred_people_sub ON transferred_people (team_id, sub);
CREATE INDEX transferred_people_expires_at ON transferred_people (expires_at);
SELECT pippin_wall('transferred_people');
GRANT SELECT, INSERT, UPDATE, DELETE ON transferred_people TO pippin_app;
CREATE POLICY sender ON transferred_people FOR INSERT TO pippin_app WITH CHECK (
    from_team = pippin_team() AND sub IS NULL AND EXISTS (
        SELECT FROM app_transfers AS transfers
        WHERE transfers.team_id = pippin_team() AND transfers.target_team = transferred_people.team_id
            AND transfers.app_id = transferred_people.app_id AND transfers.state = 'accepted'
    )
);

-- The window is over, and with it the people nobody asked for.
CREATE FUNCTION pippin_purge_transferred_people() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DELETE FROM transferred_people WHERE expires_at <= now()
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_transferred_people FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_transferred_people TO pippin_system;
