import HoldfastServiceSupport

// Maps of links to secrets, in a list and in the boxes that are embedded in it.
extension WriteModel {
    /// The entries of an object.
    static func entries(_ value: QueryJSON) -> Object {
        if case .object(let entries) = value { entries } else { [:] }
    }

    /// The shown value of a map, a box or boxes: nothing of an unknown property, and null for a link to a hidden secret.
    func shown(_ value: QueryJSON, of name: String) -> QueryJSON {
        switch (name, value) {
        case ("vault", .object(let entries)):
            guard access.knows("Secret") else { return .object([:]) }
            return .object(entries.mapValues { isSeen($0) ? $0 : .null })
        case ("box", .object(var box)):
            box["vault"] = access.knows("Secret") ? shown(box["vault"] ?? .null, of: "vault") : nil
            return .object(box)
        case ("boxes", .array(let boxes)): return .array(boxes.map { shown($0, of: "box") })
        default: return value
        }
    }

    private func isSeen(_ link: QueryJSON) -> Bool {
        link.int.map { sees(Key(className: "Secret", id: $0)) } ?? false
    }

    /// The result of a statement without an earlier value.
    static func whole(_ stated: QueryJSON, of name: String) -> QueryJSON {
        switch (name, stated) {
        case ("box", .object(let box)):
            .object(["label": box["label"] ?? .null, "vault": box["vault"] ?? .object([:])])
        case ("boxes", .array(let boxes)): .array(boxes.map { whole($0, of: "box") })
        default: stated
        }
    }

    /// The result of a statement over an earlier value: hidden parts of the earlier value stay.
    func merged(
        _ stored: QueryJSON, _ shown: QueryJSON, _ wanted: QueryJSON, of name: String
    ) -> QueryJSON {
        if shown == wanted { return stored }
        switch (name, stored, shown, wanted) {
        case ("vault", .object(let old), .object(let seen), .object(let new)):
            let kept = old.filter { $0.value != .null && !isSeen($0.value) && new[$0.key] == nil }
            return .object(
                kept.merging(
                    new.map { ($0.key, seen[$0.key] == $0.value ? old[$0.key] ?? .null : $0.value) }
                ) {
                    $1
                })
        case ("box", .object(let old), .object(let seen), .object(let new)):
            let vault = merged(
                old["vault"] ?? .null, seen["vault"] ?? .null, new["vault"] ?? .null, of: "vault")
            return .object(["label": new["label"] ?? .null, "vault": vault])
        case ("boxes", .array(let old), .array(let seen), .array(let new)):
            return .array(
                new.enumerated().map { index, box in
                    let former =
                        seen.firstIndex(of: box)
                        ?? (Self.differs(at: index, seen, new) ? index : nil)
                    return former.map { merged(old[$0], seen[$0], box, of: "box") }
                        ?? Self.whole(box, of: "box")
                })
        default: return Self.whole(wanted, of: name)
        }
    }

    /// Whether two lists differ only at one position.
    private static func differs(at index: Int, _ a: [QueryJSON], _ b: [QueryJSON]) -> Bool {
        a.count == b.count && a.indices.allSatisfy { ($0 == index) != (a[$0] == b[$0]) }
    }
}

extension WriteRequest.Maker {
    /// The properties that a merge patch states with their whole values.
    static let flat = ["owner", "open", "rank", "next", "others", "list", "done", "text"]

    /// A map of links, or a box or boxes as an object has them, with a change.
    mutating func stored(_ name: String, of key: WriteModel.Key) -> QueryJSON {
        switch name {
        case "vault":
            var entries: WriteModel.Object = [:]
            for key in ["a", "b", "c"] where chance(50) {
                let secrets = (1...4).filter { model.sees(.init(className: "Secret", id: $0)) }
                entries[key] = secrets.isEmpty || chance(40) ? .null : .int(pick(secrets))
            }
            return .object(entries)
        case "box": return chance(20) ? .null : box(key)
        default:
            var boxes = model.shown("boxes", of: key).elements
            switch pick([0, 1, 2, 3]) {
            case 0: boxes.append(box(key))
            case 1 where !boxes.isEmpty: boxes.remove(at: pick(Array(boxes.indices)))
            case 2 where !boxes.isEmpty:
                let index = pick(Array(boxes.indices))
                var box = WriteModel.entries(boxes[index])
                box["label"] = label()
                boxes[index] = .object(box)
            default: break
            }
            return .array(boxes)
        }
    }

    private mutating func box(_ key: WriteModel.Key) -> QueryJSON {
        var box: WriteModel.Object = ["label": label()]
        if model.access.knows("Secret") { box["vault"] = stored("vault", of: key) }
        return .object(box)
    }

    /// A value that no other box has.
    private mutating func label() -> QueryJSON {
        .string("n\(Int64.random(in: 0..<1_000_000_000, using: &random))")
    }
}
