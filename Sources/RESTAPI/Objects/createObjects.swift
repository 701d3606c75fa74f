import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastText

extension RESTService {
    /// `POST /v1/classes/{class}/objects`: creates an object, or an array of them atomically. `mode` says
    /// what happens to those that are there already.
    func createObjects(_ request: Request) throws(RequestFault) -> Outcome {
        let mode = try createMode(request)
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        let isArray = try beginsArray(request)
        return try write(
            request, .new(RequestBytes(request.className, of: request), isArray: isArray), mode)
    }

    /// The mode that `mode` names; creation without it.
    func createMode(_ request: Request) throws(RequestFault) -> WriteMode {
        guard let text = request[query: "mode"] else { return .create }
        if text == "create" { return .create }
        if text == "merge" { return .merge }
        if text == "replace" { return .replace }
        if text == "ignore" { return .ignore }
        throw .parameter(
            "mode", "'mode' is create, merge, replace or ignore.",
            hint: NearestName.of(text.string, among: ["create", "merge", "replace", "ignore"]))
    }

    /// Whether the body is an array, for which no header can state a precondition.
    func beginsArray(_ request: Request) throws(RequestFault) -> Bool {
        guard Self.beginsArray(request.body) else { return false }
        if try Precondition(request) != .none {
            throw RequestFault(
                .malformed, "invalid-header",
                "If-Match and If-None-Match are about one object; leave them out of a request that "
                    + "writes an array. Each object of the array may state its \"$version\".")
        }
        return true
    }

    /// Whether the first byte of a body that is no blank opens an array.
    private static func beginsArray(_ body: UnsafeRawBufferPointer) -> Bool {
        for byte in body where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
            return byte == UInt8(ascii: "[")
        }
        return false
    }
}
