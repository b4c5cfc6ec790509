-- Accounts at a provider that people of the directory have connected to theirs, and what came by way of them.

ALTER TABLE provider_identities
    -- When its person connected it on their own page; NULL for somebody who came that way.
    ADD COLUMN linked_at timestamptz,
    -- The address as the provider signed it last: a person who connected an account keeps their own.
    ADD COLUMN email text,
    ADD COLUMN is_private_email boolean NOT NULL DEFAULT false;

-- A trip begins in a sign-in, or on the page of a person who connects an account: then it is good for that person in
-- that session alone, and never settled without them.
ALTER TABLE provider_trips
    ALTER COLUMN attempt_id DROP NOT NULL,
    ADD COLUMN link_sub text COLLATE "C",
    ADD COLUMN link_session bytea,
    ADD CONSTRAINT provider_trips_purpose CHECK (
        (attempt_id IS NULL) = (link_sub IS NOT NULL) AND (link_sub IS NULL) = (link_session IS NULL)
    );

-- What a person who connected an account decided on the provider's sheet, with the address that it gave the apps.
ALTER TABLE consents
    ADD COLUMN provider text COLLATE "C",
    ADD COLUMN provider_email text,
    ADD COLUMN is_provider_email_verified boolean NOT NULL DEFAULT false,
    ADD COLUMN is_provider_email_private boolean NOT NULL DEFAULT false;

-- Which provider said who the person is: what came that way ends with what is there.
ALTER TABLE authorization_codes ADD COLUMN provider text COLLATE "C";
ALTER TABLE refresh_tokens ADD COLUMN provider text COLLATE "C";
