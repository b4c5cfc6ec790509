-- Invitations to a team, each by a one-time link of which the SHA-256 alone is known.
CREATE TABLE invitations (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    invitation_id text COLLATE "C" NOT NULL CHECK (invitation_id ~ '^[A-Z0-9]{10}$'),
    token_hash bytea NOT NULL,
    email text NOT NULL CHECK (length(email) <= 254),
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'auditor')),
    -- The member who invited; their membership may have ended since.
    invited_by text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, invitation_id)
);
-- An address has one open invitation to a team; a second one takes the place of the first.
CREATE UNIQUE INDEX invitations_email_key ON invitations (team_id, lower(email));
SELECT pippin_wall('invitations');
GRANT SELECT, INSERT, UPDATE, DELETE ON invitations TO pippin_app;

-- The link alone leads to its team: read before a team is known, and nothing of it but this.
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);
CREATE POLICY every_team ON invitations FOR SELECT TO pippin_system USING (true);
GRANT SELECT (team_id, invitation_id, token_hash, expires_at) ON invitations TO pippin_system;

-- Teams are made in their own transaction by pippin_app; the system reads them and marks the deleted ones.
REVOKE INSERT ON teams FROM pippin_system;
DROP POLICY every_team ON teams;
CREATE POLICY every_team ON teams FOR SELECT TO pippin_system USING (true);
