import ObjectModel
import ObjectStore

/// What a store should hold, as plain dictionaries: slow, and too simple to be wrong.
///
/// A transaction works on a copy, which is thrown away when it fails.
package struct ReferenceObjects {
    /// Why an operation fails.
    package enum Failure: Error, Equatable {
        case duplicateKey, objectNotFound, danglingLinks
        /// The transaction wanted to fail.
        case abandoned
    }

    /// One object.
    package struct Object {
        /// What it holds.
        package var content: ObjectContent
        /// The version that last changed it.
        package var version: UInt64
        /// Distinguishes objects that had the same key one after the other.
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
    package private(set) var classes: [String: ObjectClass] = [:]
    /// The objects.
    package private(set) var objects: [Identity: Object] = [:]
    /// The version of the last transaction.
    package private(set) var version: UInt64 = 0
    /// What the present transaction did, by ``Object/birth``.
    package private(set) var changes: [Int: Change] = [:]
    /// The objects that were born or died in the present transaction.
    package private(set) var names: [Int: Identity] = [:]
    private var awaited: Set<Identity> = []
    private var underWay: Set<Identity> = []
    private var nextKeys: [String: Int64] = [:]
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
        awaited = []
        birthCountBefore = birthCount
    }

    /// Whether an object was there before the present transaction.
    package func isOld(_ birth: Int) -> Bool { birth <= birthCountBefore }

    /// Ends a transaction.
    package mutating func finish() throws(Failure) {
        guard awaited.isEmpty else { throw .danglingLinks }
        if !changes.isEmpty { version += 1 }
    }

    /// Writes an object and returns its identity.
    @discardableResult
    package mutating func write(
        _ className: String, _ draft: ObjectContent, key: Value? = nil, mode: WriteMode
    ) throws(Failure) -> Identity {
        guard let objectClass = classes[className] else { preconditionFailure("no such class") }
        var identity = key.map { Identity(className, $0) }
        if let primaryKey = objectClass.primaryKey, case .value(let value)? = draft[primaryKey] {
            identity = Identity(className, value)
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
        awaited.remove(identity)
        // While its nested objects are written, links to the object are not awaited, and it is not
        // there yet either.
        underWay.insert(identity)
        let resolved = try resolve(objectClass, draft)
        underWay.remove(identity)
        if objects[identity] != nil {
            apply(identity, objectClass, resolved, keepsAbsent: false, mode)
            return identity
        }
        birthCount += 1
        names[birthCount] = identity
        let content = merged(
            objectClass, resolved, over: nil, keepsAbsent: false, isMerge: isMerge(mode))
        objects[identity] = Object(content: content, version: version + 1, birth: birthCount)
        changes[birthCount] = Change(kind: .insert, properties: [])
        return identity
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

    private mutating func put(_ identity: Identity, _ content: ObjectContent) {
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

    /// Deletes an object and every link to it.
    package mutating func delete(_ identity: Identity) throws(Failure) {
        guard let dead = objects.removeValue(forKey: identity) else { throw .objectNotFound }
        names[dead.birth] = identity
        changes[dead.birth] = Change(kind: .delete, properties: [])
        for (other, object) in objects {
            put(other, resorted(other, Self.without(identity.link, object.content)))
        }
    }

    /// The content with its sets in order, whose elements may have become equal.
    private func resorted(_ identity: Identity, _ content: ObjectContent) -> ObjectContent {
        guard let objectClass = classes[identity.className] else { return content }
        return resorted(objectClass, content)
    }

    private func resorted(_ objectClass: ObjectClass, _ content: ObjectContent) -> ObjectContent {
        var result = content
        for property in objectClass.properties {
            switch content[property.name] {
            case .values?:
                result[property.name] = content[property.name].map { canonical($0, property) }
            case .embedded(let inner)?:
                if case .object(let name)? = property.type.element, let inside = classes[name] {
                    result[property.name] = .embedded(resorted(inside, inner))
                }
            case .embeddedList(let list)?:
                if case .object(let name)? = property.type.element, let inside = classes[name] {
                    result[property.name] = .embeddedList(list.map { resorted(inside, $0) })
                }
            case .entries(let entries)?:
                guard case .object(let name)? = property.type.element, let inside = classes[name]
                else { continue }
                result[property.name] = .entries(
                    entries.mapValues {
                        if case .embedded(let inner) = $0 {
                            return .embedded(resorted(inside, inner))
                        }
                        return $0
                    })
            default: break
            }
        }
        return result
    }

    private static func without(_ link: Value, _ content: ObjectContent) -> ObjectContent {
        content.mapValues { value in
            switch value {
            case .value(link): .null
            case .value(let inner): .value(inner.withoutInMixed(link))
            case .values(let values):
                .values(values.filter { $0 != link }.map { $0.withoutInMixed(link) })
            case .embedded(let inner): .embedded(without(link, inner))
            case .embeddedList(let list): .embeddedList(list.map { without(link, $0) })
            case .entries(let entries): .entries(without(link, entries))
            default: value
            }
        }
    }

    // MARK: Drafts

    /// Writes nested objects, and names links by identity.
    private mutating func resolve(
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
            if objects[target] == nil, !underWay.contains(target) { awaited.insert(target) }
            return target.link
        default: return .null
        }
    }

    private mutating func merged(
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

    private func canonical(_ content: Content, _ property: Property) -> Content {
        guard case .set = property.type, case .values(let values) = content else { return content }
        return .values(Value.canonicalSet(values))
    }

    private mutating func defaultContent(_ property: Property) -> Content {
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
        }
    }

    private mutating func generate(_ scalar: ScalarType) -> Content {
        generatedCount += 1
        return .generated(scalar, generatedCount)
    }

    // MARK: Schema

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

    // MARK: Comparing

    /// What differs between the reference and a store; what the store has made up is taken over.
    package mutating func differences(from stored: StoreContents) -> [String] {
        var differences: [String] = []
        for (identity, object) in objects {
            guard let other = stored.objects[identity] else {
                differences.append("\(identity) is missing")
                continue
            }
            var content = object.content
            adopt(&content, other.content)
            objects[identity]?.content = content
            for name in Set(content.keys).union(other.content.keys)
            where content[name] != other.content[name] {
                differences.append(
                    "\(identity).\(name): expected \(content[name] ?? .null), "
                        + "stored \(other.content[name] ?? .null)")
            }
            if object.version != other.version {
                differences.append(
                    "\(identity): expected version \(object.version), stored \(other.version)")
            }
        }
        for identity in stored.objects.keys where objects[identity] == nil {
            differences.append("\(identity) should not be there")
        }
        return differences
    }

    private func adopt(_ content: inout ObjectContent, _ stored: ObjectContent) {
        for (name, value) in content {
            switch (value, stored[name]) {
            case (.generated(let scalar, _), .value(let value)?) where value.scalarType == scalar:
                content[name] = .value(value)
            case (.embedded(var inner), .embedded(let other)?):
                adopt(&inner, other)
                content[name] = .embedded(inner)
            case (.embeddedList(var list), .embeddedList(let others)?)
            where list.count == others.count:
                for index in list.indices { adopt(&list[index], others[index]) }
                content[name] = .embeddedList(list)
            case (.entries(var entries), .entries(let others)?):
                adopt(&entries, others)
                content[name] = .entries(entries)
            default: break
            }
        }
    }
}
