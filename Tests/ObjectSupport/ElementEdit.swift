import HoldfastObjectStore
import HoldfastRows

/// A change of one element of a collection.
package enum ElementEdit: Sendable, Equatable {
    /// Puts an element into a list, before the one at the position; at the end for nil.
    case insert(at: Int?)
    /// Puts an element in the place of the one at the position of a list.
    case replace(at: Int)
    /// Takes the element at the position from a list.
    case remove(at: Int)
    /// Adds an element to a set that lacks it.
    case add
    /// Takes an element from a set, or each that equals it from a list.
    case removeEqual
    /// Puts an entry into a map, in the place of the one with its key.
    case put
    /// Takes the entry with the draft's key from a map.
    case removeEntry

    /// The edit of a property.
    ///
    /// - `content`: The collection of the one element, or the map of the one entry.
    func compiled(
        _ property: EditPath, _ content: Content?, _ draft: ObjectDraft
    ) -> ObjectEdit {
        var path = property
        if case .entries(let entries)? = content, let key = entries.keys.first {
            path.element = .key(Array(key.utf8))
        }
        switch self {
        case .insert(let index):
            path.element = index.map { .index($0) } ?? .end
            return ObjectEdit(path, .place(draft, .insert))
        case .replace(let index):
            path.element = .index(index)
            return ObjectEdit(path, .place(draft, .put))
        case .remove(let index):
            path.element = .index(index)
            return ObjectEdit(path, .remove)
        case .add:
            path.element = .end
            return ObjectEdit(path, .place(draft, .insert))
        case .removeEqual:
            path.element = .end
            return ObjectEdit(path, .removeEqual(draft))
        case .put: return ObjectEdit(path, .place(draft, .put))
        case .removeEntry: return ObjectEdit(path, .remove)
        }
    }
}

/// A change inside a `mixed` value.
package struct MixedEdit: Sendable, Equatable {
    /// What is changed.
    package enum Action: Sendable, Equatable {
        /// Puts a value into the list that the steps lead to, before the one at the position; at its end for
        /// nil.
        case insert(at: Int?)
        /// Puts a value where the last step leads.
        case put
        /// Takes away what the last step leads to.
        case remove
    }

    /// The way into the value.
    package var steps: [[UInt8]]
    /// What is done at its end.
    package var action: Action

    /// The edit of a property, or of the element at a path.
    func compiled(_ path: EditPath, _ draft: ObjectDraft?) -> ObjectEdit {
        var path = path
        path.inner = steps
        if case .insert(let index) = action {
            path.inner.append(Array((index.map { "\($0)" } ?? "-").utf8))
        }
        guard let draft else { return ObjectEdit(path, .remove) }
        return ObjectEdit(path, .place(draft, action == .put ? .put : .insert))
    }
}
