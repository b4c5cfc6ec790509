-- Whether mail to the relay address a group of apps was given is passed on.
ALTER TABLE consents ADD COLUMN forwards_mail boolean NOT NULL DEFAULT true;
