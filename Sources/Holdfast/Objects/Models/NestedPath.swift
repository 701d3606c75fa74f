import HoldfastObjectStore
import HoldfastRows

/// The path from a top-level object to a nested value that the program refers to: an embedded object, or a list or dictionary of
/// an `AnyRealmValue`.
///
/// The store knows these values only by their positions. Edits in the realm move the path, so that it leads to the same value.
final class NestedPath {
    /// A step of the path.
    enum Step: Hashable {
        case member(Int)
        case index(Int)
        case key([UInt8])

        init(_ element: EditPath.Element) {
            switch element {
            case .index(let index): self = .index(index)
            case .end: self = .index(.max)
            case .key(let key): self = .key(key)
            }
        }

        /// The step as a step to an element; nil for a property.
        var element: EditPath.Element? {
            switch self {
            case .member: nil
            case .index(let index): .index(index)
            case .key(let key): .key(key)
            }
        }
    }

    /// An edit of the elements of a collection, or of the properties of an object.
    enum Edit {
        /// An element was inserted at an index.
        case inserted(Int)
        /// The element at an index was removed.
        case removed(Int)
        /// The element at an index was moved to another index.
        case moved(from: Int, to: Int)
        /// A value was replaced.
        case replaced(Step)
        /// A value was removed.
        case lost(Step)
        /// All values were removed or replaced.
        case emptied
    }

    private(set) var steps: [Step]
    /// The class of the object at which the path begins.
    var rootClass: RowClass
    /// Whether the value at the end of the path is gone.
    private(set) var isGone = false
    /// Whether the path leads to a list or dictionary of an `AnyRealmValue`, which shows the value that replaces it.
    let isCollection: Bool

    init(_ steps: [Step], of rootClass: RowClass, isCollection: Bool) {
        self.steps = steps
        self.rootClass = rootClass
        self.isCollection = isCollection
    }

    /// The embedded objects on the path, from the outside in.
    var owners: [EditPath.Owner] {
        var owners: [EditPath.Owner] = []
        for step in steps {
            switch step {
            case .member(let member): owners.append(EditPath.Owner(member: member, element: nil))
            case .index, .key: owners[owners.count - 1].element = step.element
            }
        }
        return owners
    }

    /// Whether the path leads to or through an element of a collection.
    var isInCollection: Bool { steps.contains { $0.element != nil } }

    func concerns(_ container: [Step]) -> Bool {
        !isGone && steps.count > container.count && steps.starts(with: container)
    }

    /// Follows an edit that concerns the path.
    func follow(_ edit: Edit, in container: [Step]) {
        let position = container.count
        let step = steps[position]
        func lose() { isGone = true }
        switch (edit, step) {
        case (.emptied, _): lose()
        case (.replaced(let gone), _):
            if gone == step, !(isCollection && steps.count == position + 1) { lose() }
        case (.lost(let gone), _): if gone == step { lose() }
        case (.inserted(let index), .index(let own)):
            if own >= index { steps[position] = .index(own + 1) }
        case (.removed(let index), .index(let own)):
            if own == index { lose() } else if own > index { steps[position] = .index(own - 1) }
        case (.moved(let from, let to), .index(let own)):
            if own == from {
                steps[position] = .index(to)
            } else {
                let left = own > from ? own - 1 : own
                steps[position] = .index(left >= to ? left + 1 : left)
            }
        default: break
        }
    }

    /// Moves the path along with the elements of a list on it.
    ///
    /// - `moved`: Returns the new index of an element by its old index; nil if it is gone.
    func follow(_ moved: (Int) -> Int?, in list: [Step]) {
        guard case .index(let index) = steps[list.count] else { return }
        if let index = moved(index) { steps[list.count] = .index(index) } else { isGone = true }
    }

    func end() { isGone = true }

    /// Returns to the earlier state.
    func restore(_ steps: [Step], isGone: Bool) {
        self.steps = steps
        self.isGone = isGone
    }
}
