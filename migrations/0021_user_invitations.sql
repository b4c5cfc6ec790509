-- People are invited to make an account with a team: a mailed link of its own purpose, which the team sees and may take
-- back until it is followed.
ALTER TABLE mailed_links
    -- What the team names it by; the token is nobody's but the reader's.
    ADD COLUMN invitation_id text COLLATE "C" CHECK (invitation_id ~ '^[A-Z0-9]{10}$'),
    -- The member who invited; their membership may have ended since.
    ADD COLUMN invited_by text COLLATE "C",
    DROP CONSTRAINT mailed_links_purpose_check,
    ADD CONSTRAINT mailed_links_purpose_check
        CHECK (purpose IN ('registration', 'password', 'email', 'invitation')),
    DROP CONSTRAINT mailed_links_sub_check,
    ADD CONSTRAINT mailed_links_sub_check CHECK ((purpose IN ('registration', 'invitation')) = (sub IS NULL)),
    ADD CONSTRAINT mailed_links_invitation_check
        CHECK ((purpose = 'invitation') = (invitation_id IS NOT NULL AND invited_by IS NOT NULL));

-- An address has one open invitation; a second one takes the place of the first.
CREATE UNIQUE INDEX mailed_links_invited_email_key ON mailed_links (team_id, lower(email))
WHERE purpose = 'invitation';
CREATE UNIQUE INDEX mailed_links_invitation_id_key ON mailed_links (team_id, invitation_id)
WHERE invitation_id IS NOT NULL;
