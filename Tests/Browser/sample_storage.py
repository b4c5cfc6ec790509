"""Where the sample app keeps its users: memory, behind social-core's storage interface."""

import itertools
import threading
from dataclasses import dataclass

from social_core.storage import AssociationMixin, BaseStorage, CodeMixin, NonceMixin, PartialMixin, UserMixin


@dataclass(eq=False)
class User:
    id: int
    username: str
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    is_active: bool = True
    is_authenticated: bool = True
    social_user: object = None
    is_new: bool = False


def in_memory_storage() -> type[BaseStorage]:
    """A storage of its own for each app, so that tests share nobody."""
    users: list[User] = []
    ids = itertools.count(1)
    associations: dict[tuple[str, str], "SocialAuth"] = {}
    nonces: set[tuple] = set()
    lock = threading.Lock()

    class SocialAuth(UserMixin):
        def __init__(self, user, provider, uid, id_key):
            self.user, self.provider, self.uid, self.id_key = user, provider, uid, id_key
            self.extra_data = {}

        def save(self):
            pass

        @classmethod
        def changed(cls, user):
            pass

        @classmethod
        def get_username(cls, user):
            return user.username

        @classmethod
        def user_model(cls):
            return User

        @classmethod
        def username_max_length(cls):
            return 255

        @classmethod
        def user_exists(cls, username):
            return any(user.username == username for user in users)

        @classmethod
        def create_user(cls, **fields):
            user = User(id=next(ids), **fields)
            users.append(user)
            return user

        @classmethod
        def get_user(cls, pk):
            return next((user for user in users if user.id == pk), None)

        @classmethod
        def get_social_auth(cls, provider, uid, id_key=None):
            found = associations.get((provider, uid))
            return found if found and id_key in (None, found.id_key) else None

        @classmethod
        def create_social_auth(cls, user, uid, provider, id_key=""):
            associations[provider, uid] = cls(user, provider, uid, id_key)
            return associations[provider, uid]

    class Nonce(NonceMixin):
        @classmethod
        def use(cls, server_url, timestamp, salt):
            with lock:
                fresh = (server_url, timestamp, salt) not in nonces
                nonces.add((server_url, timestamp, salt))
                return fresh

        @classmethod
        def consume(cls, server_url, timestamp, salt):
            with lock:
                known = (server_url, timestamp, salt) in nonces
                nonces.discard((server_url, timestamp, salt))
                return known

    class Storage(BaseStorage):
        user = SocialAuth
        nonce = Nonce
        association = AssociationMixin
        code = CodeMixin
        partial = PartialMixin

        @classmethod
        def is_integrity_error(cls, exception):
            return False

    return Storage
