import HoldfastJSON
import HoldfastObjectStore

extension RequestFault {
    /// Values that other objects have already; `pointerOf` gives the pointer to the object of an operation in the body.
    package init(
        notUnique violations: [UniqueViolation], at pointerOf: (_ source: Int) -> JSONPointer
    ) {
        let faults = FaultList(violations) { violation in
            var pointer = pointerOf(violation.source)
            pointer.append(violation.path)
            if violation.properties.count == 1 { pointer.append(violation.properties[0]) }
            return Entry(code: "not-unique", detail: violation.detail, pointer: pointer.description)
        }
        self = .several(.conflict, "not-unique", faults, "A value is not unique.")
    }

    /// Deletions that other objects deny.
    package init(denied deletions: [DeniedDeletion]) {
        let faults = FaultList(deletions) { Entry(code: "denied-delete", detail: $0.detail) }
        self = .several(.conflict, "denied-delete", faults, "Another object denies the deletion.")
    }
}

extension RequestFault {
    /// The text for a refused act: class and action, and nothing of rules.
    fileprivate static func detail(of act: RefusedAct) -> String {
        guard let property = act.property else {
            return "You may not \(act.action.rawValue) this object of class '\(act.className)'."
        }
        return act.action == .create
            ? "You may not set '\(property)' of this new object of class '\(act.className)'."
            : "You may not change '\(property)' of this object of class '\(act.className)'."
    }

    /// Something that a user may not do with an object.
    init(_ act: RefusedAct) {
        let detail = Self.detail(of: act)
        self.init(
            .forbidden, "not-allowed", detail,
            errors: [
                Entry(
                    code: "not-allowed",
                    detail: "\(act.className), \(act.action.rawValue): " + detail)
            ])
    }
}

extension UniqueViolation {
    fileprivate var detail: String {
        guard let className else {
            return "The write would give two objects the same unique value."
        }
        if properties.isEmpty {
            return
                "Another object has the unique values of this object of class '\(className)' already."
        }
        let names = properties.map { "'\($0)'" }.joined(separator: ", ")
        return properties.count == 1
            ? "\(names) of class '\(className)' is unique, and \(holder ?? "another object") has this value already."
            : "\(names) of class '\(className)' are unique together, and \(holder ?? "another object") has these values "
                + "already."
    }
}

extension DeniedDeletion {
    fileprivate var detail: String {
        let target = target ?? "An object that goes with it"
        guard let holder else { return "\(target) can't be deleted: another object denies that." }
        return
            "\(target) can't be deleted: \(holder) links to it by '\(property)', which denies it. Delete "
            + "that object too, or change its link first."
    }
}

extension StoreError {
    /// Whether it is about values of the object that is written, with pointers into that.
    package var pointsIntoObject: Bool {
        switch self {
        case .danglingLinks, .notUnique: true
        default: false
        }
    }
}

extension JSONPointer {
    /// Goes on along the way from an object into it.
    mutating func append(_ path: [DanglingLink.PathStep]) {
        for step in path {
            switch step {
            case .property(let name): append(name)
            case .element(let index): append(index: index)
            case .key(let key): append(key)
            }
        }
    }
}

extension RequestFault {
    /// The present rules name classes or properties that the pinned version lacks, or that have other names there.
    package static let snapshotOfOtherNames = RequestFault(
        .expired, "snapshot-ended",
        "The schema has changed since this version was pinned, so the present rules do not apply to it. Begin again with snapshot=new, and "
            + "without the old snapshot's cursors.")
}
