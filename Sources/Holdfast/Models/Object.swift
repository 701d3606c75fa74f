/// The base class of objects that a realm stores by themselves.
///
///     class Person: Object {
///         @Persisted(primaryKey: true) var id: UUID
///         @Persisted var name = ""
///         @Persisted var dogs: List<Dog>
///     }
open class Object: ObjectBase {}

/// The base class of objects that belong to one other object each, and are deleted with it.
open class EmbeddedObject: ObjectBase {}

/// The base class of objects that are only created, and wait in their class's outbox to be consumed.
open class AsymmetricObject: ObjectBase {}
