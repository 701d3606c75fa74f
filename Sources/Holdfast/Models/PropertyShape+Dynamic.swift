import Foundation
import HoldfastObjectModel

extension PropertyShape {
    /// The type by which a property is read whose own type is not at hand.
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
