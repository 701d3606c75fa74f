import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension ObjectReader {
    /// Reads the value of one element or entry of a collection, or of a part of a `mixed` value, into a
    /// draft without other properties. Nil, with ``faults``, if the value is wrong.
    ///
    /// - `path`: Leads to the element, or into the value.
    package func readElement(
        _ json: JSONValue, at path: EditPath, _ names: SchemaNames
    ) -> ObjectDraft? {
        guard let member = path.member else { return nil }
        self.names = names
        let before = faultCount
        let draft: ObjectDraft
        if case .key(let key)? = path.element {
            draft = key.withUnsafeBytes {
                readEntry(json, under: $0, member, of: path.rowClass, depth: path.inner.count)
            }
        } else {
            draft = readElement(json, member, of: path.rowClass, depth: path.inner.count)
        }
        return faultCount == before ? draft : nil
    }

    /// - `depth`: The number of lists and maps of a `mixed` value around it.
    private func readElement(
        _ json: JSONValue, _ member: Int, of rowClass: RowClass, depth: Int
    ) -> ObjectDraft {
        let draft = makeDraft(rowClass, isMerge: false)
        let compiled = rowClass.members[member]
        switch compiled.storage.element {
        case .link:
            if addReference(json, member, element: 0, to: draft) {
                draft.setReferences(member, from: draft.references.count - 1)
            }
        case .embedded:
            if json.kind != .object {
                scalarFault(json, rowClass, member, at: nil, element: nil)
            } else if let child = embedded(json, draft, member, isMerge: false) {
                draft.set(member, children: [child])
            }
        case .mixed: readMixedElement(json, member, depth: depth, into: draft)
        default:
            collection.reset(compiled.storage.element)
            if json.isNull, compiled.isOptional {
                collection.appendNull()
            } else {
                _ = append(json, member, of: rowClass, at: nil, element: nil)
            }
            draft.set(member, collection: collection)
        }
        return draft
    }

    private func readEntry(
        _ json: JSONValue, under key: UnsafeRawBufferPointer, _ member: Int, of rowClass: RowClass,
        depth: Int
    ) -> ObjectDraft {
        // It changes the entries it states and keeps the others.
        let draft = makeDraft(rowClass, isMerge: true)
        let compiled = rowClass.members[member]
        if json.isNull, compiled.isOptional {
            draft.addEntry(key, .null)
        } else {
            collection.reset(compiled.storage.element)
            addEntry(json, under: key, member, isRootValue: true, depth: depth, into: draft)
        }
        draft.setEntries(member, from: 0)
        return draft
    }
}
