import Foundation
import HoldfastObjectStore

/// Reads values that a program passes as dictionaries, arrays and objects to `init(value:)`, `create` and `setValue`.
final class ValueReader {
    /// The reason why a value was refused.
    struct Fault: Error { let message: String }

    /// The objects that replace objects of another realm, or embedded objects that have an owner.
    private struct Source: Hashable {
        let realm: ObjectIdentifier
        let identity: ObjectIdentity
        /// The steps instead of the path: the path of another object may come to have the same steps.
        let steps: [NestedPath.Step]

        /// Nil for an unmanaged object.
        init?(_ object: ObjectBase) {
            guard let place = object.place else { return nil }
            realm = ObjectIdentifier(place.realm)
            identity = place.identity
            steps = place.steps
        }
    }

    /// The realm in which an object is created; nil for an unmanaged object.
    private let realm: RealmCore?
    private var copies: [Source: ObjectBase] = [:]
    /// The copies of unmanaged embedded objects, if the value is another object: an embedded object belongs to one object only.
    private var embeddedCopies: [ObjectIdentifier: ObjectBase] = [:]
    /// Whether such a value is being read.
    private var isCopying = false
    /// Whether ``stated`` is kept.
    private let notesExplicit: Bool
    /// The names of the properties that were stated of each object.
    private(set) var stated: [ObjectIdentifier: Set<String>] = [:]
    private var fault: Fault?

    /// - `notesExplicit`: Whether ``stated`` is kept.
    init(_ realm: RealmCore? = nil, notesExplicit: Bool = false) {
        self.realm = realm
        self.notesExplicit = notesExplicit
    }

    /// Sets the properties of an unmanaged object from a value.
    ///
    /// - `value`: A dictionary by names, an array in the order of declaration, or an object.
    /// - Throws: A fault that names the property and the types.
    func fill(_ object: ObjectBase, from value: Any) throws(Fault) {
        let model = ModelClass.of(type(of: object))
        var names: Set<String> = []
        switch value {
        case let dictionary as [String: Any]:
            var values = [Any?](repeating: nil, count: model.fields.count)
            for (name, value) in dictionary {
                guard let index = model.position(of: name) else {
                    throw Fault(
                        message:
                            "Invalid value '\(dictionary)' to initialize object of type '\(model.name)': unknown property '\(name)'."
                    )
                }
                values[index] = .some(value)
                if notesExplicit { names.insert(name) }
            }
            for (field, value) in values.enumerated() {
                if let value { try set(object, model.fields[field], value, model) }
            }
        case let array as [Any]:
            let fields = model.fields.filter { $0.shape.kind != .origins }
            guard array.count <= fields.count else {
                throw Fault(
                    message:
                        "Invalid array input: more values (\(array.count)) than properties (\(fields.count))."
                )
            }
            for (field, value) in zip(fields, array) {
                try set(object, field, value, model)
                names.insert(field.name)
            }
        case let other as ObjectBase:
            if let source = Source(other), copies[source] == nil { copies[source] = object }
            let wasCopying = isCopying
            isCopying = true
            defer { isCopying = wasCopying }
            let source = other.model
            for field in model.fields where field.shape.kind != .origins {
                guard let index = source.position(of: field.name) else { continue }
                try set(object, field, other.value(source.fields[index]) as Any, model)
                names.insert(field.name)
            }
        default:
            throw Fault(
                message: "Invalid value '\(value)' to initialize object of type '\(model.name)'.")
        }
        guard notesExplicit else { return }
        stated[ObjectIdentifier(object)] = names
        kept.append(object)
    }

    /// The objects that were made, so that their identities stay theirs.
    private var kept: [ObjectBase] = []

    private func set(
        _ object: ObjectBase, _ field: ModelField, _ value: Any, _ model: ModelClass
    ) throws(Fault) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let isFitting = field.wrapper.set(value, base + field.offset, object, self)
        if let fault { throw fault }
        guard isFitting else {
            throw Fault(
                message:
                    "Invalid value '\(value)' of type '\(Swift.type(of: value))' for '\(field.typeName)' property '\(model.name).\(field.name)'."
            )
        }
    }

    /// Makes an object from a value. An object of the class itself is used as it is if it can be linked to.
    func object<T: ObjectBase>(_ type: T.Type, _ value: Any) -> T? {
        if let object = value as? T { return adopted(object) as? T }
        if let same = (value as? ObjectBase)?.seen(as: type) { return adopted(same) as? T }
        guard value is [String: Any] || value is [Any] || value is ObjectBase else { return nil }
        return filled(T(), value)
    }

    /// An object, or its copy if it can't be linked to: an object of another realm, or an embedded object that has an owner.
    func adopted(_ object: ObjectBase) -> ObjectBase? {
        guard let place = object.place, let source = Source(object) else {
            guard isCopying, object is EmbeddedObject else { return object }
            let id = ObjectIdentifier(object)
            if let present = embeddedCopies[id] { return present }
            let copy = object.model.type.init()
            embeddedCopies[id] = copy
            return filled(copy, object)
        }
        let isForeign = realm.map { $0 !== place.realm } ?? false
        guard isForeign || place.way != nil else { return object }
        if let present = copies[source] { return present }
        return filled(object.model.type.init(), object)
    }

    private func filled<T: ObjectBase>(_ object: T, _ value: Any) -> T? {
        do { try fill(object, from: value) } catch {
            if fault == nil { fault = error }
            return nil
        }
        return object
    }
}

extension ModelField {
    /// The type as messages name it.
    var typeName: String {
        let element: String
        switch shape.element.kind {
        case .scalar(let scalar): element = scalar.name
        case .object(let reference): element = ModelClass.name(of: reference.type)
        }
        switch shape.kind {
        case .single: return element
        case .list: return "array<\(element)>"
        case .set: return "set<\(element)>"
        case .map: return "dictionary<string, \(element)>"
        case .origins: return "linking objects"
        }
    }
}

extension ObjectBase {
    /// Makes an unmanaged object with the properties in a value; other properties have their defaults.
    ///
    ///     Dog(value: ["name": "Rex", "age": 3])
    ///
    /// A value that does not fit fails the write in progress, or ends the process outside of a write. For values from outside the
    /// program, use ``init(validating:)``.
    ///
    /// - Parameter value: A dictionary by names, an array in the order of declaration, or an object; the same for links,
    ///   embedded objects and collections within it.
    public convenience init(value: Any) {
        self.init()
        do { try ValueReader().fill(self, from: value) } catch { ValueFault.raise(error.message) }
    }

    /// Makes an unmanaged object from a value from outside the program, as ``init(value:)`` does.
    ///
    ///     let dog = try Dog(validating: JSONSerialization.jsonObject(with: data))
    ///
    /// Faults that only the store can find, such as a text that is too long, fail the write that adds the object.
    ///
    /// - Throws: ``ValueFault`` for a value that does not fit.
    public convenience init(validating value: Any) throws {
        self.init()
        do { try ValueReader().fill(self, from: value) } catch { throw ValueFault(error.message) }
    }
}
