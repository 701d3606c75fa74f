import HoldfastObjectModel
import HoldfastObjectStore

/// What a store should hold, as plain dictionaries: slow, and too simple to be wrong.
///
/// A transaction works on a copy, which is thrown away when it fails.
package struct ReferenceObjects {
    /// Why an operation fails.
    package enum Failure: Error, Equatable {
        case duplicateKey, objectNotFound, missingKey, elementNotFound, positionOutOfRange
        case danglingLinks, deniedDeletion, notUnique
        /// The transaction wanted to fail.
        case abandoned
    }

    /// One object.
    package struct Object {
        /// What it holds.
        package var content: ObjectContent
        /// The version that last changed it.
        package var version: UInt64
        /// Distinguishes objects that had the same key one after the other, and says in which order objects
        /// were made: an object before those that stand in it in full, whatever linked to it before.
        package var birth: Int
    }

    /// What a transaction did to one object.
    package struct Change: Equatable {
        /// What happened.
        package var kind: ChangeRecord.Kind
        /// Of an update the names of the properties that changed.
        package var properties: Set<String>
    }

    /// The classes by name.
    package internal(set) var classes: [String: ObjectClass] = [:]
    /// The objects.
    package internal(set) var objects: [Identity: Object] = [:]
    /// The version of the last transaction.
    package internal(set) var version: UInt64 = 0
    /// What the present transaction did, by ``Object/birth``.
    package internal(set) var changes: [Int: Change] = [:]
    /// The objects that were born or died in the present transaction.
    package internal(set) var names: [Int: Identity] = [:]
    /// The objects that the present transaction has linked to before they are made, and the places that they take by that.
    private var awaited: [Identity: Int] = [:]
    /// Whether an object is in its class's order where it was linked to before it was made, as in a turn, which is not run again.
    var keepsEarlyPlaces = false
    /// Objects of which nested ones are being written, and their ``Object/birth``.
    private var underWay: [Identity: Int] = [:]
    var nextKeys: [String: Int64] = [:]
    /// The greatest primary key so far of each class whose objects the store numbers.
    var greatestNumbers: [String: Int64] = [:]
    /// The objects, by ``Object/birth``, that held deleted ones by links that deny it.
    var holders: Set<Int> = []
    private var birthCount = 0
    private var birthCountBefore = 0
    private var generatedCount = 0

    /// Makes an empty reference.
    package init() {}

    // MARK: Transactions

    /// Begins a transaction on this copy.
    package mutating func begin() {
        changes = [:]
        names = [:]
        awaited = [:]
        holders = []
        birthCountBefore = birthCount
    }

    /// Whether an object was there before the present transaction.
    package func isOld(_ birth: Int) -> Bool { birth <= birthCountBefore }

    /// Ends a transaction.
    package mutating func finish() throws(Failure) {
        guard awaited.isEmpty else { throw .danglingLinks }
        if changes.isEmpty { return }
        if objects.values.contains(where: { holders.contains($0.birth) }) { throw .deniedDeletion }
        if sharesUniqueValues { throw .notUnique }
        version += 1
    }

    /// Writes an object and returns its identity.
    @discardableResult
    package mutating func write(
        _ className: String, _ draft: ObjectContent, key: Value? = nil, mode: WriteMode
    ) throws(Failure) -> Identity {
        guard let objectClass = classes[className] else { preconditionFailure("no such class") }
        var identity = key.map { Identity(className, $0) }
        var draft = draft
        if let primaryKey = objectClass.primaryKey, key == nil {
            if draft[primaryKey] == nil {
                guard objectClass.numbersKeys, mode != .update, mode != .replaceExisting else {
                    throw .missingKey
                }
                draft[primaryKey] = .value(.int(greatestNumbers[className, default: 0] + 1))
            }
            if case .value(let value)? = draft[primaryKey] {
                identity = Identity(className, value)
            }
        }
        if let identity, objects[identity] != nil {
            switch mode {
            case .create: throw .duplicateKey
            case .ignore: return identity
            case .merge, .update: try change(identity, draft, keepsAbsent: true, mode)
            case .replace, .replaceExisting: try change(identity, draft, keepsAbsent: false, mode)
            }
            return identity
        }
        if mode == .update || mode == .replaceExisting || key != nil { throw .objectNotFound }
        return try insert(objectClass, identity, draft, mode)
    }

    private mutating func insert(
        _ objectClass: ObjectClass, _ known: Identity?, _ draft: ObjectContent, _ mode: WriteMode
    ) throws(Failure) -> Identity {
        let identity: Identity
        if let known {
            identity = known
        } else {
            let key = nextKeys[objectClass.name, default: 1]
            nextKeys[objectClass.name] = key + 1
            identity = Identity(objectClass.name, .int(key))
        }
        let early = awaited.removeValue(forKey: identity)
        noteNumber(identity)
        // While its nested objects are written, links to the object are not awaited, and it is not
        // there yet either.
        let birth: Int
        // Objects without a primary key are in the order of their keys, which only making them gives out.
        let keepsPlace = keepsEarlyPlaces && objectClass.primaryKey != nil
        if let known = underWay[identity] ?? (keepsPlace ? early : nil) {
            birth = known
        } else {
            birthCount += 1
            birth = birthCount
        }
        underWay[identity] = birth
        let resolved = try resolve(objectClass, draft)
        underWay[identity] = nil
        if objects[identity] != nil {
            apply(identity, objectClass, resolved, keepsAbsent: false, mode)
            return identity
        }
        names[birth] = identity
        let content = merged(
            objectClass, resolved, over: nil, keepsAbsent: false, isMerge: isMerge(mode))
        objects[identity] = Object(content: content, version: version + 1, birth: birth)
        changes[birth] = Change(kind: .insert, properties: [])
        return identity
    }

    /// Keeps the number that a new object, or one that is awaited, has as its key.
    private mutating func noteNumber(_ identity: Identity) {
        guard case .int(let number) = identity.key,
            classes[identity.className]?.numbersKeys ?? false
        else { return }
        let greatest = greatestNumbers[identity.className, default: 0]
        greatestNumbers[identity.className] = max(greatest, number)
    }

    private mutating func change(
        _ identity: Identity, _ draft: ObjectContent, keepsAbsent: Bool, _ mode: WriteMode
    ) throws(Failure) {
        guard let objectClass = classes[identity.className] else { return }
        let resolved = try resolve(objectClass, draft)
        apply(identity, objectClass, resolved, keepsAbsent: keepsAbsent, mode)
    }

    private func isMerge(_ mode: WriteMode) -> Bool { mode == .merge || mode == .update }

    private mutating func apply(
        _ identity: Identity, _ objectClass: ObjectClass, _ resolved: ObjectContent,
        keepsAbsent: Bool, _ mode: WriteMode
    ) {
        guard let old = objects[identity] else { return }
        let new = merged(
            objectClass, resolved, over: old.content, keepsAbsent: keepsAbsent,
            isMerge: isMerge(mode))
        put(identity, new)
    }

    mutating func put(_ identity: Identity, _ content: ObjectContent) {
        guard let old = objects[identity] else { return }
        let changed = Set(content.keys.filter { content[$0] != old.content[$0] })
        if changed.isEmpty { return }
        objects[identity]?.content = content
        objects[identity]?.version = version + 1
        names[old.birth] = identity
        if changes[old.birth]?.kind == .insert { return }
        changes[old.birth, default: Change(kind: .update, properties: [])].properties
            .formUnion(changed)
    }

    // MARK: Drafts

    /// Writes nested objects, and names links by identity.
    mutating func resolve(
        _ objectClass: ObjectClass, _ draft: ObjectContent
    ) throws(Failure) -> ObjectContent {
        var resolved = draft
        // Links of the object itself come before those of its embedded objects.
        for property in objectClass.properties {
            if property.scalar == .mixed {
                for link in draft[property.name]?.linksInMixed ?? [] {
                    _ = try self.link(.value(link), property)
                }
                continue
            }
            switch draft[property.name] {
            case .nested(let inner)?:
                resolved[property.name] = .value(try link(.nested(inner), property))
            case .value(.link(let name, let key))?:
                resolved[property.name] = .value(
                    try link(.value(.link(className: name, key: key)), property))
            case .nestedList(let links)?:
                var values: [Value] = []
                for inner in links { values.append(try link(inner, property)) }
                resolved[property.name] = .values(values)
            case .entries(var entries)?:
                for (key, content) in entries.inDraftOrder {
                    switch content {
                    case .nested, .value(.link):
                        entries[key] = .value(try link(content, property))
                    default: break
                    }
                }
                resolved[property.name] = .entries(entries)
            default: break
            }
        }
        for property in objectClass.properties {
            guard case .object(let name)? = property.type.element, let inner = classes[name] else {
                continue
            }
            switch draft[property.name] {
            case .embedded(let content)?:
                resolved[property.name] = .embedded(try resolve(inner, content))
            case .embeddedList(let list)?:
                var contents: [ObjectContent] = []
                for content in list { contents.append(try resolve(inner, content)) }
                resolved[property.name] = .embeddedList(contents)
            case .entries(var entries)?:
                for (key, content) in entries.inDraftOrder {
                    guard case .embedded(let content) = content else { continue }
                    entries[key] = .embedded(try resolve(inner, content))
                }
                if inner.kind == .embedded { resolved[property.name] = .entries(entries) }
            default: break
            }
        }
        return resolved
    }

    private mutating func link(
        _ content: Content, _ property: Property
    ) throws(Failure) -> Value {
        switch content {
        case .nested(let inner):
            guard case .object(let name)? = property.type.element else { return .null }
            return try write(name, inner, mode: .merge).link
        case .value(.link(let name, let key)):
            let target = Identity(name, key)
            if objects[target] == nil, underWay[target] == nil {
                if awaited[target] == nil {
                    birthCount += 1
                    awaited[target] = birthCount
                }
                noteNumber(target)
            }
            return target.link
        default: return .null
        }
    }

    mutating func merged(
        _ objectClass: ObjectClass, _ draft: ObjectContent, over old: ObjectContent?,
        keepsAbsent: Bool, isMerge: Bool
    ) -> ObjectContent {
        var content: ObjectContent = [:]
        for property in objectClass.properties {
            if case .linkingObjects = property.type { continue }
            guard let stated = draft[property.name] else {
                content[property.name] =
                    (keepsAbsent ? old?[property.name] : nil) ?? defaultContent(property)
                continue
            }
            if case .entries(let entries) = stated {
                content[property.name] = merged(
                    property, entries, over: old?[property.name], isMerge: isMerge)
                continue
            }
            guard case .object(let name)? = property.type.element, let inner = classes[name],
                inner.kind == .embedded
            else {
                content[property.name] = canonical(stated, property)
                continue
            }
            switch stated {
            case .embedded(let part):
                var before: ObjectContent?
                if isMerge, case .embedded(let stored)? = old?[property.name] { before = stored }
                content[property.name] = .embedded(
                    merged(inner, part, over: before, keepsAbsent: isMerge, isMerge: isMerge))
            case .embeddedList(let list):
                content[property.name] = .embeddedList(
                    list.map {
                        merged(inner, $0, over: nil, keepsAbsent: false, isMerge: false)
                    })
            default: content[property.name] = stated
            }
        }
        return content
    }

    private mutating func merged(
        _ property: Property, _ stated: [String: Content], over old: Content?, isMerge: Bool
    ) -> Content {
        var result: [String: Content] = [:]
        if isMerge, case .entries(let before)? = old { result = before }
        for (key, value) in stated.inDraftOrder {
            switch value {
            case .removed: result[key] = nil
            case .embedded(let part):
                guard case .object(let name)? = property.type.element, let inner = classes[name]
                else { continue }
                var before: ObjectContent?
                if isMerge, case .embedded(let stored)? = result[key] { before = stored }
                result[key] = .embedded(
                    merged(inner, part, over: before, keepsAbsent: isMerge, isMerge: isMerge))
            default: result[key] = value
            }
        }
        return .entries(result)
    }

    func canonical(_ content: Content, _ property: Property) -> Content {
        guard case .set = property.type, case .values(let values) = content else { return content }
        return .values(Value.canonicalSet(values))
    }

    mutating func defaultContent(_ property: Property) -> Content {
        if property.type.isMap { return .entries([:]) }
        if property.type.isCollection {
            guard case .object(let name)? = property.type.element,
                classes[name]?.kind == .embedded
            else { return .values([]) }
            return .embeddedList([])
        }
        switch property.effectiveDefault {
        case .constant(let value): return .value(value)
        case .uuid: return generate(.uuid)
        case .objectID: return generate(.objectID)
        case .now: return .generated(.date, 0)
        case .next: return .value(.int(0))
        case .user: return .value(.null)
        }
    }

    private mutating func generate(_ scalar: ScalarType) -> Content {
        generatedCount += 1
        return .generated(scalar, generatedCount)
    }
}
