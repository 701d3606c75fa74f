import Foundation
import HoldfastObjectModel

/// The type of a property, as the schema has it.
public struct PropertyShape: Hashable, Sendable {
    /// One value or several.
    enum Kind: Hashable, Sendable {
        case single, list, set, map
        /// An inverse link.
        case origins
    }

    var kind: Kind
    var element: ElementShape

    init(_ kind: Kind, _ element: ElementShape) {
        self.kind = kind
        self.element = element
    }
}

/// The type of a value, or of each element of a collection, as the schema has it.
public struct ElementShape: Hashable, Sendable {
    /// The kinds of values.
    enum Kind: Hashable, Sendable {
        case scalar(ScalarType)
        case object(ClassReference)
    }

    var kind: Kind
    var isOptional: Bool
    /// The raw values of an enum.
    var cases: [Value]?

    init(_ kind: Kind, isOptional: Bool = false, cases: [Value]? = nil) {
        self.kind = kind
        self.isOptional = isOptional
        self.cases = cases
    }

    /// The same with null.
    var optional: ElementShape { ElementShape(kind, isOptional: true, cases: cases) }
}

/// A class of objects as a value.
struct ClassReference: Hashable, Sendable {
    let type: ObjectBase.Type

    static func == (a: ClassReference, b: ClassReference) -> Bool { a.type == b.type }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

extension PropertyShape {
    /// The type by which a property is read if its own type is not at hand.
    var dynamicType: any _Persistable.Type {
        switch element.kind {
        case .object: optional(DynamicObject.self)
        case .scalar(let scalar):
            switch scalar {
            case .bool: optional(Bool.self)
            case .int, .int64: optional(Int.self)
            case .int8: optional(Int8.self)
            case .int16: optional(Int16.self)
            case .int32: optional(Int32.self)
            case .float: optional(Float.self)
            case .double: optional(Double.self)
            case .decimal128: optional(Decimal128.self)
            case .string: optional(String.self)
            case .data: optional(Data.self)
            case .date: optional(Date.self)
            case .objectID: optional(ObjectId.self)
            case .uuid: optional(UUID.self)
            case .mixed: collection(AnyRealmValue.self)
            }
        }
    }

    private func optional<T: _OptionalPersistable>(_ type: T.Type) -> any _Persistable.Type {
        element.isOptional ? collection(T?.self) : collection(type)
    }

    private func collection<T: RealmCollectionValue>(_ type: T.Type) -> any _Persistable.Type {
        switch kind {
        case .single: type
        case .list: List<T>.self
        case .set: MutableSet<T>.self
        case .map: Map<String, T>.self
        case .origins: LinkingObjects<DynamicObject>.self
        }
    }
}
