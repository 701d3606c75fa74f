import ObjectJSON
import ObjectStore
import Rows

extension ElementTarget {
    /// The element of a collection that the request is about, or goes into; nil for a single property.
    var place: ElementPosition? {
        switch address {
        case .none: nil
        case .position(let position): .position(position)
        case .key(let key): .key(key)
        }
    }

    /// What the request is about inside a `mixed` value.
    ///
    /// - `bytes`: The value; nil for null.
    /// - Throws: ``RequestFault`` `.notFound` when there is no such thing.
    func value(inside bytes: UnsafeRawBufferPointer?) throws(RequestFault) -> MixedView {
        let value = MixedView(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        do throws(MixedEdit.Fault) {
            return try value.value(at: inner ?? [])
        } catch {
            throw RequestFault(error, in: self)
        }
    }
}

extension RequestFault {
    /// Something inside a `mixed` value is not as the request takes it to be.
    init(_ fault: MixedEdit.Fault, in target: ElementTarget) {
        switch fault {
        case .notThere: self = RequestFault(.elementNotFound)
        case .noElements:
            self = RequestFault(
                .notFound, "no-elements",
                "The path goes into a value of '\(target.property.name)' that is no list and no map, "
                    + "and so has no elements.")
        case .needsKey:
            self = RequestFault(
                .unsupportedOperation, "element-method-not-allowed",
                "The path leads to a map, whose entries have keys: PUT …/{key}.",
                alternatives: "GET, HEAD, PUT, DELETE, OPTIONS")
        case .positionOutOfRange(let count):
            self = RequestFault(StoreError.positionOutOfRange(count: count))
        }
    }
}
