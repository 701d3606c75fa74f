import HoldfastObjectModel
import HoldfastObjectStore

/// Schemas of the reference, and what their changes do to its objects.
extension ReferenceObjects {
    /// Makes `new` the schema; objects get what properties were added.
    package mutating func setSchema(_ new: [ObjectClass], makesVersion: Bool) {
        let old = classes
        classes = Dictionary(uniqueKeysWithValues: new.map { ($0.name, $0) })
        if makesVersion { version += 1 }
        for (identity, object) in objects {
            let content = completed(identity.className, object.content, old)
            objects[identity]?.content = content
        }
    }

    private mutating func completed(
        _ className: String, _ content: ObjectContent, _ old: [String: ObjectClass]
    ) -> ObjectContent {
        guard let objectClass = classes[className] else { return content }
        var result = content
        for property in objectClass.properties {
            if case .linkingObjects = property.type { continue }
            if case .object(let name)? = property.type.element, classes[name]?.kind == .embedded {
                switch content[property.name] {
                case .embedded(let inner)?:
                    result[property.name] = .embedded(completed(name, inner, old))
                case .embeddedList(let list)?:
                    var contents: [ObjectContent] = []
                    for inner in list { contents.append(completed(name, inner, old)) }
                    result[property.name] = .embeddedList(contents)
                case .entries(var entries)?:
                    for (key, value) in entries {
                        guard case .embedded(let inner) = value else { continue }
                        entries[key] = .embedded(completed(name, inner, old))
                    }
                    result[property.name] = .entries(entries)
                default: break
                }
            }
            if content[property.name] == nil { result[property.name] = fill(property) }
        }
        return result
    }

    /// What existing objects have for an added property.
    private mutating func fill(_ property: Property) -> Content {
        guard property.defaultValue == nil, !property.isOptional, !property.type.isCollection,
            case .single(.scalar(let scalar)) = property.type
        else { return defaultContent(property) }
        switch scalar {
        case .date: return .value(.date(Timestamp(seconds: 0, nanoseconds: 0)))
        case .objectID: return .value(.objectID(ObjectID(high: 0, low: 0)))
        case .uuid: return .value(.uuid(UUID128(high: 0, low: 0)))
        default: return defaultContent(property)
        }
    }

    /// Makes `new` the schema, of which `evolved` is what becomes of the objects.
    mutating func evolve(
        to new: [ObjectClass], _ renames: SchemaRenames, _ evolved: EvolvedContents,
        makesVersion: Bool
    ) {
        var before = objects
        for identity in objects.keys {
            let name = Identity(renames.newName(ofClass: identity.className), identity.key)
            if name != identity { before[name] = before.removeValue(forKey: identity) }
        }
        objects = [:]
        for (identity, content) in evolved.objects {
            guard var object = before[identity] else { continue }
            object.content = content
            objects[identity] = object
        }
        classes = Dictionary(uniqueKeysWithValues: new.map { ($0.name, $0) })
        nextKeys = Self.renamed(nextKeys, renames)
        greatestNumbers = Self.renamed(greatestNumbers, renames)
        if makesVersion { version += 1 }
    }

    private static func renamed(
        _ numbers: [String: Int64], _ renames: SchemaRenames
    ) -> [String: Int64] {
        Dictionary(
            numbers.map { (renames.newName(ofClass: $0.key), $0.value) },
            uniquingKeysWith: { $1 })
    }
}
