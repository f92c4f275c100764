"""Keep a judge's settings as JSON in one column; its kind and method say which there are."""

from django.db import models
from django.db.models.query_utils import DeferredAttribute

from judges.values.settings import Settings


class Stored(dict):
    """Settings as the database has them, which were checked when they were assigned."""


class SettingsAttribute(DeferredAttribute):
    """Give a judge's settings as its kind and method declare them; check what is assigned."""

    def __get__(self, instance, cls=None):
        if instance is None:
            return super().__get__(instance, cls)
        kept = self._kept(instance)
        if type(kept) is instance.settings_class:
            return kept
        # Not read before, or the judge has got another kind or method since.
        given = kept.given if isinstance(kept, Settings) else kept
        settings = instance.settings_class.trusted(given)
        instance.__dict__[self.field.attname] = settings
        return settings

    def _kept(self, instance):
        """Return what the instance holds; read from the database where it was not loaded."""
        name = self.field.attname
        if name not in instance.__dict__:
            rows = type(instance)._base_manager.using(instance._state.db)
            instance.__dict__[name] = rows.values_list(name, flat=True).get(pk=instance.pk)
        return instance.__dict__[name]

    def __set__(self, instance, values):
        """Take Settings as they are, or {name: value}; SettingsError says what is wrong."""
        if not isinstance(values, Settings | Stored):
            values = instance.settings_class.checked(values)
        instance.__dict__[self.field.attname] = values


class SettingsField(models.JSONField):
    """A column of settings; the model has to have the property `settings_class`."""

    descriptor_class = SettingsAttribute

    def __init__(self, **options):
        super().__init__(**{"default": Stored, "editable": False} | options)

    def deconstruct(self):
        """Describe the column to migrations, which know no settings, as plain JSON."""
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options | {"default": dict}

    def from_db_value(self, value, expression, connection):
        values = super().from_db_value(value, expression, connection)
        return Stored(values) if isinstance(values, dict) else values

    def get_prep_value(self, value):
        return super().get_prep_value(value.stored if isinstance(value, Settings) else value)

    def validate(self, value, model_instance):
        """Check nothing: what is assigned was checked then."""
