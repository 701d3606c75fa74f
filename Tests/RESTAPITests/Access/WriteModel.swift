import HoldfastServiceSupport
import HoldfastStoreService

/// What the writes of a user come to, computed plainly: objects are JSON as the administrator reads it, rules a tree.
struct WriteModel {
    /// Names an object.
    struct Key: Hashable, Comparable {
        var className: String
        var id: Int64

        static func < (a: Key, b: Key) -> Bool {
            (a.className, a.id) < (b.className, b.id)
        }
    }

    typealias Object = [String: QueryJSON]
    typealias World = [Key: Object]

    /// Why a request is refused: the code of its problem.
    struct Refusal: Error, Equatable {
        var code: String

        static let unknownProperty = Refusal(code: "unknown-property")
        static let notFound = Refusal(code: "object-not-found")
        static let notAllowed = Refusal(code: "not-allowed")
        static let duplicate = Refusal(code: "duplicate-key")
        static let dangling = Refusal(code: "dangling-link")
    }

    /// What was done with an object.
    private struct AttemptedChange {
        /// What was stated of it, where the transaction has made it.
        var created: Set<String>?
        var changed: Set<String> = []
        var isDeleted = false
        /// Whether it was judged, and nothing was done since.
        var isJudged = false
    }

    let access: PlainAccess
    /// What the transaction begins from, and what it comes to.
    let base: World
    private(set) var world: World
    /// What waits in the outbox of `Mail`, the oldest first.
    private(set) var waiting: [Key]
    /// The objects that it has made.
    private var made: Set<Key> = []
    private var acts: [Key: AttemptedChange] = [:]
    private var awaited: Set<Key> = []

    /// Begins a transaction.
    ///
    /// - `waiting`: What waits in the outbox, the oldest first.
    init(_ access: PlainAccess, _ world: World, waiting: [Key]) {
        self.access = access
        base = world
        self.world = world
        self.waiting = waiting
    }

    // MARK: What is seen

    /// Whether the user sees an object that is there.
    func sees(_ key: Key) -> Bool {
        guard world[key] != nil else { return false }
        return made.contains(key) || base[key].map { access.shows(key, $0, in: base) } ?? false
    }

    /// The properties that are hidden on an object.
    private func hidden(_ key: Key) -> Set<String> {
        guard !made.contains(key), let object = base[key] else { return [] }
        return access.hidden(key, object, in: base)
    }

    /// What is shown of a property.
    func shown(_ name: String, of key: Key) -> QueryJSON {
        let value = world[key]?[name] ?? .null
        let target = PlainAccess.target(of: name, key.className)
        if hidden(key).contains(name) { return PlainAccess.nothing(name, key.className) }
        if ["vault", "box", "boxes"].contains(name) { return shown(value, of: name) }
        guard let target else { return value }
        func isSeen(_ link: QueryJSON) -> Bool {
            link.int.map { sees(Key(className: target, id: $0)) } ?? false
        }
        if case .array(let links) = value { return .array(links.filter(isSeen)) }
        return isSeen(value) ? value : .null
    }

    // MARK: Operations

    /// What is wrong with a body by its names alone.
    func checkNames(_ className: String, _ names: some Sequence<String>) throws(Refusal) {
        guard access.knows(className) else { throw Refusal(code: "unknown-class") }
        for name in names where !access.knows(name, of: className) {
            throw .unknownProperty
        }
    }

    /// Writes an object.
    mutating func write(_ key: Key, _ draft: Object, _ mode: WriteForm) throws(Refusal) {
        let isThere = world[key] != nil
        if !isThere || !sees(key), mode.mayCreate, !access.mayCreate(key.className) {
            throw .notAllowed
        }
        if isThere, !sees(key) { throw mode.mayCreate ? .duplicate : .notFound }
        if isThere {
            switch mode {
            case .create: throw .duplicate
            case .ignore: return
            case .merge, .update: try change(key, draft)
            case .replace:
                var whole = draft
                for name in PlainAccess.properties(key.className)
                where whole[name] == nil && !hidden(key).contains(name) {
                    whole[name] = PlainAccess.initial(name, key.className)
                }
                try change(key, whole)
            }
            return
        }
        guard mode.mayCreate else { throw .notFound }
        var object: Object = ["id": .int(key.id)]
        for name in PlainAccess.properties(key.className) {
            object[name] =
                draft[name].map { Self.whole($0, of: name) }
                ?? PlainAccess.initial(name, key.className)
        }
        follow(draft, key.className)
        world[key] = object
        if key.className == "Mail" { waiting.append(key) }
        made.insert(key)
        awaited.remove(key)
        let stated = draft.filter { $0.value != PlainAccess.nothing($0.key, key.className) }
        acts[key, default: AttemptedChange()].created = Set(stated.keys)
        acts[key]?.isJudged = false
    }

    /// Changes what a draft states of an object that is seen.
    private mutating func change(_ key: Key, _ draft: Object) throws(Refusal) {
        follow(draft, key.className)
        var changed: Set<String> = []
        for (name, value) in draft where value != shown(name, of: key) {
            if hidden(key).contains(name) { throw .notAllowed }
            let stored = world[key]?[name] ?? .null
            var value = value
            if ["vault", "box", "boxes"].contains(name) {
                value = merged(stored, shown(name, of: key), value, of: name)
                // Hidden entries can't be removed.
                if value == stored { continue }
            } else if case .array(let links) = value {
                // What is hidden stays; its places are another test's.
                let seen = shown(name, of: key).elements
                value = .array(links + stored.elements.filter { !seen.contains($0) })
            }
            world[key]?[name] = value
            changed.insert(name)
        }
        if changed.isEmpty { return }
        if made.contains(key) {
            acts[key]?.created?.formUnion(changed)
        } else {
            acts[key, default: AttemptedChange()].changed.formUnion(changed)
        }
        acts[key]?.isJudged = false
    }

    /// Notes the links of a draft that lead to nothing that is seen.
    private mutating func follow(_ draft: Object, _ className: String) {
        for (name, value) in draft {
            guard let target = PlainAccess.target(of: name, className) else { continue }
            for link in value.elements + [value] + Self.entries(value).values {
                guard let id = link.int else { continue }
                let key = Key(className: target, id: id)
                if !sees(key) { awaited.insert(key) }
            }
        }
    }

    /// Deletes an object, and every link to it.
    mutating func delete(_ key: Key) throws(Refusal) {
        guard sees(key) else { throw .notFound }
        world[key] = nil
        waiting.removeAll { $0 == key }
        if made.remove(key) != nil {
            acts[key]?.created = nil
        } else {
            acts[key, default: AttemptedChange()].isDeleted = true
        }
        for (other, object) in world {
            for name in PlainAccess.properties(other.className)
            where PlainAccess.target(of: name, other.className) == key.className {
                if object[name] == .int(key.id) {
                    world[other]?[name] = .null
                } else if case .array(let links)? = object[name] {
                    world[other]?[name] = .array(links.filter { $0 != .int(key.id) })
                }
            }
        }
    }

    /// Ends the transaction, or the part of it that has to hold by itself.
    mutating func judge() throws(Refusal) {
        if !awaited.isEmpty { throw .dangling }
        for (key, act) in acts where !act.isJudged {
            acts[key]?.isJudged = true
            if let stated = act.created, let object = world[key] {
                let right = access.right(key.className) {
                    $0.create.map { rule in
                        access.holds(rule, object, in: world)
                    } ?? false
                }
                guard let right, stated.allSatisfy({ right($0) >= .create }) else {
                    throw .notAllowed
                }
            }
            guard let former = base[key] else { continue }
            if act.isDeleted {
                let right = access.right(key.className) {
                    $0.delete.map { rule in
                        access.holds(rule, former, in: base)
                    } ?? false
                }
                if right == nil { throw .notAllowed }
            } else if !act.changed.isEmpty, let object = world[key] {
                let right = access.right(key.className) { rules in
                    guard let before = rules.before, let after = rules.after else { return false }
                    return access.holds(before, former, in: base)
                        && access.holds(after, object, in: world)
                }
                guard let right, act.changed.allSatisfy({ right($0) == .write }) else {
                    throw .notAllowed
                }
            }
        }
    }

    /// What differs between what the transaction comes to and what there is; nil for nothing. Elements that the user does not see
    /// may stand anywhere between those that they do.
    func difference(_ present: World, waiting others: [Key]) -> String? {
        if waiting != others { return "\(others.map(\.id)) wait, expected \(waiting.map(\.id))" }
        for key in Set(world.keys).union(present.keys).sorted() {
            guard let own = world[key], let other = present[key] else {
                return "\(key) is \(present[key] == nil ? "not " : "")there"
            }
            for name in PlainAccess.properties(key.className) where own[name] != other[name] {
                guard name == "others" else {
                    return
                        "\(key) \(name): \(other[name]?.text ?? ""), expected \(own[name]?.text ?? "")"
                }
                let seen = Set(shown(name, of: key).elements.compactMap(\.int))
                func parts(_ value: QueryJSON?) -> [[Int64]] {
                    let links = value?.elements.compactMap(\.int) ?? []
                    return [
                        links.filter { seen.contains($0) },
                        links.filter { !seen.contains($0) }.sorted(),
                    ]
                }
                if !own[name, default: .null].elements.isEmpty,
                    parts(own[name]) == parts(other[name])
                {
                    continue
                }
                return
                    "\(key) \(name): \(other[name]?.text ?? ""), expected \(own[name]?.text ?? "")"
            }
        }
        return nil
    }
}

/// The ways in which an object is written.
enum WriteForm: String, CaseIterable {
    case create, merge, replace, ignore
    /// Only where it is there.
    case update

    var mayCreate: Bool { self != .update }
    /// Whether null in a map is an entry, and not the removal of an entry.
    var statesWhole: Bool { self == .create || self == .replace }
}
