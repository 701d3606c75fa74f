import CHoldfastRuntime
import Synchronization

/// The classes of objects in the program and its libraries.
enum ClassDiscovery {
    private static let found = Mutex<[ObjectBase.Type]?>(nil)

    /// Returns every class of objects that a realm may have if its configuration names no classes. Nil if the program's tables of
    /// types have an unknown form; configurations then have to name classes.
    ///
    /// Cost: about a millisecond once for each process.
    static func classes() -> [ObjectBase.Type]? {
        found.withLock { found in
            if let found { return found }
            let search = Search()
            let isWhole = withExtendedLifetime(search) {
                holdfast_for_each_class(
                    { metadata, context in
                        guard let context else { return }
                        let search = Unmanaged<Search>.fromOpaque(context).takeUnretainedValue()
                        search.take(unsafeBitCast(metadata, to: Any.Type.self))
                    }, Unmanaged.passUnretained(search).toOpaque())
            }
            guard isWhole else { return nil }
            let classes = search.classes.map { (name: ModelClass.name(of: $0), type: $0) }
                .sorted { $0.name < $1.name }.map(\.type)
            found = classes
            return classes
        }
    }

    private final class Search {
        var classes: [ObjectBase.Type] = []

        func take(_ type: Any.Type) {
            guard let model = type as? ObjectBase.Type, model != ObjectBase.self,
                model != Object.self, model != EmbeddedObject.self, model != AsymmetricObject.self
            else { return }
            classes.append(model)
        }
    }
}

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
