import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension JSONPatch {
    /// Applies the patch to an object that is there, inside a transaction. Writer's thread.
    ///
    /// Cost: linear in the row for each operation, logarithmic in an out-of-line collection.
    ///
    /// - Throws: ``StoreError``, which may hold a ``RequestFault``: `.conflict` for a `test` that fails, `.invalid`
    ///   for a path that is not there or a copied value that does not fit, with the operation's pointer; `.writeTime`
    ///   when it takes too long.
    func apply(to editor: ObjectEditor, in served: ServedStore) throws(StoreError) -> WriteResult {
        let deadline = served.queryDeadline
        for (index, operation) in operations.enumerated() {
            try served.checkWriteTime(deadline)
            do throws(EditFailure) {
                try editor.apply(
                    operation.edit, origin: [.element(firstIndex + index), .property("value")])
            } catch { throw failure(error, index) }
        }
        return try editor.finish()
    }

    private func failure(_ failure: EditFailure, _ index: Int) -> StoreError {
        let path = operations[index].pathText
        switch failure {
        case .missing(_, let isSource):
            return fault(
                index, isSource ? "from" : "path", "path-missing",
                isSource
                    ? "There is nothing at the 'from' of this operation in the object."
                    : "There is nothing at '\(path)' in the object.")
        case .isOther:
            return fault(
                index, "value", "test-failed",
                "The value at '\(path)' is not the expected one.", .conflict)
        case .doesNotFit:
            return fault(
                index, "value", "wrong-type", "The value at 'from' does not fit '\(path)'.")
        case .isNull:
            return fault(
                index, "value", "null-not-allowed",
                "'\(path)' is not optional, so it can't be null.")
        case .isTooDeep:
            return fault(
                index, "value", "too-deep", "The copied value would nest too deep at '\(path)'.")
        case .isNoPoint:
            return fault(
                index, "value", "out-of-range",
                "'\(path)' is part of a point with a geographic index, and the longitude is not from -180 to "
                    + "180 or the latitude not from -90 to 90; coordinates are [longitude, latitude]."
            )
        case .isOtherKey(let property):
            return fault(
                index, "value", "key-mismatch",
                "'\(property ?? "$id")' names the object and never changes; leave it out of the patch."
            )
        case .store(.unstated(let properties)):
            return .refused(RequestFault(.unstated(properties)).placed(by: self))
        case .store(let error): return error
        }
    }

    private func fault(
        _ index: Int, _ member: String, _ code: String, _ detail: String,
        _ kind: RequestFault.Kind = .invalid
    ) -> StoreError {
        let pointer = JSONPointer().appending(index: firstIndex + index).appending(member)
        return .refused(RequestFault.single(kind, code, detail, pointer: pointer.description))
    }
}

extension RequestFault {
    /// The same fault with pointers into the patch in place of pointers into the patched object.
    func placed(by patch: JSONPatch) -> RequestFault {
        var fault = self
        for index in fault.errors.indices {
            guard let pointer = fault.errors[index].pointer else { continue }
            fault.errors[index].pointer = patch.position(of: pointer)?.description
        }
        return fault
    }
}

/// The body of a patch.
package struct PatchBody: Sendable {
    /// Its text.
    package let bytes: RequestBytes
    /// Whether it is a JSON patch and no merge patch.
    package let isJSONPatch: Bool

    /// Names a body.
    package init(_ bytes: RequestBytes, isJSONPatch: Bool) {
        self.bytes = bytes
        self.isJSONPatch = isJSONPatch
    }
}
