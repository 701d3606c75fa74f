import HoldfastBytes
import HoldfastJSON
import HoldfastRows

/// The primary keys of a draft: its own, the keys of nested objects, and the keys that its links name.
struct DraftKeys {
    /// A primary key of a class.
    struct Key: Hashable {
        var classIndex: Int
        var bytes: [UInt8]

        /// A number that stands for the key within this process. Two keys with the same one are treated
        /// as one, which costs time and is never wrong.
        var fingerprint: UInt64 {
            var hasher = Hasher()
            hasher.combine(classIndex)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    /// A link by primary key.
    struct Link {
        var target: Key
        /// Where it stands in the line.
        var pointer: JSONPointer
    }

    /// The draft's own object; nil when its class has no primary key.
    let own: Key?
    private(set) var provided: [Key] = []
    /// The objects that keys are reserved for, the draft's own first: the primary keys of the objects that it
    /// writes, nil for an own object that is always new.
    var reservable: [Key?] { own == nil ? [nil] + provided : provided }
    /// The links to objects that others write.
    private(set) var links: [Link] = []

    /// Walks a draft.
    init(_ draft: ObjectDraft) {
        own = Self.own(draft)
        add(draft, JSONPointer())
    }

    /// The detail of a link to an object that only a faulty line writes.
    static func detail(ofLinkToUntaken className: String) -> String {
        "There is no object of class '\(className)' with this key: the line that has it was not imported."
    }

    /// The key of the draft's own object; nil for a class without one.
    static func own(_ draft: ObjectDraft) -> Key? {
        guard draft.rowClass.primaryKeyIndex != nil else { return nil }
        let buffer = ByteBuffer(capacity: 64)
        guard draft.appendPrimaryKey(to: buffer) else { return nil }
        return Key(classIndex: draft.rowClass.index, bytes: buffer.array)
    }

    private mutating func add(_ draft: ObjectDraft, _ pointer: JSONPointer) {
        if let key = Self.own(draft) { provided.append(key) }
        let properties = draft.rowClass.definition.properties
        for reference in draft.references {
            var path = pointer.appending(properties[reference.member].name)
            if reference.mixedOffset != nil {
                for step in draft.mixedPath(to: reference) {
                    switch step {
                    case .index(let index): path.append(index: index)
                    case .key(let key): path.append(key)
                    }
                }
            } else if let key = draft.key(of: reference) {
                path = path.appending(key)
            } else if let element = reference.element {
                path.append(index: element)
            }
            switch reference.target {
            case .primaryKey(let start, let count):
                let key = Key(
                    classIndex: reference.classIndex,
                    bytes: Array(draft.arenaBytes(start: start, count: count)))
                links.append(Link(target: key, pointer: path))
            case .child(let child): add(draft.children[child], path)
            // An object key is one of this store already.
            case .objectKey, .named: break
            }
        }
        for (member, field) in draft.fields.enumerated() {
            let path = pointer.appending(properties[member].name)
            switch field.state {
            case .child: add(draft.children[field.start], path)
            case .children:
                for index in 0..<field.count {
                    add(draft.children[field.start + index], path.appending(index: index))
                }
            case .entries:
                for entry in draft.entries[field.start..<(field.start + field.count)] {
                    guard case .child(let child) = entry.value else { continue }
                    let key = String(decoding: draft.key(of: entry), as: UTF8.self)
                    add(draft.children[child], path.appending(key))
                }
            default: break
            }
        }
    }
}
