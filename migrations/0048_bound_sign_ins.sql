-- What ties a sign-in to one browser and to unchanged credentials.

-- The SHA-256 of what the browser was told that brought a provider's answer. An answer without one, which the previous
-- release kept, is given out to nobody: that person signs in again.
ALTER TABLE provider_trips ADD COLUMN receipt_hash bytea;

-- Counts changes of what proves a person: a proof counts while the number is the one it was checked under.
ALTER TABLE users ADD COLUMN credentials_version integer NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN credentials_version integer;

-- The browser that asked for a link to make an account or to sign in: it alone goes on with what was typed there.
ALTER TABLE mailed_links
    ADD COLUMN browser_hash bytea,
    DROP CONSTRAINT mailed_links_purpose_check,
    ADD CONSTRAINT mailed_links_purpose_check
        CHECK (purpose IN ('registration', 'password', 'email', 'invitation', 'sign_in'));

-- A mailed link proves as much as a password. Not validated: each row satisfies the narrower rule it was written under,
-- and sessions need not be read under a lock to see that again.
ALTER TABLE attempts
    DROP CONSTRAINT attempts_first_factor_check,
    ADD CONSTRAINT attempts_first_factor_check
        CHECK (first_factor IN ('password', 'passkey', 'apple', 'mailed_link'));
ALTER TABLE sessions
    DROP CONSTRAINT sessions_first_factor_check,
    ADD CONSTRAINT sessions_first_factor_check
        CHECK (first_factor IN ('password', 'passkey', 'apple', 'mailed_link')) NOT VALID;
