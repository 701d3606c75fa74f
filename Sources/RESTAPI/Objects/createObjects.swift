import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `POST /v1/classes/{class}/objects`: creates an object, or an array of them atomically. `mode` says
    /// what happens to those that are there already.
    func createObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(request, known: ["mode"])
            let mode = try createMode(parameters)
            _ = try BodyType.read(request)
            try request.requireAccepted("application/json")
            let precondition = try Precondition(request)
            let isArray = Self.beginsArray(request.body)
            if isArray, precondition != .none {
                throw RequestFault(
                    .malformed, "invalid-header",
                    "If-Match and If-None-Match are about one object; leave them out of a request that "
                        + "writes an array. Each object of the array may state its \"$version\".")
            }
            return takeIn(
                request, mode: mode, preferences: try Preferences(request), isArray: isArray,
                .read { names, scratch throws(RequestFault) in
                    try self.readObjects(request, names, scratch, mode, precondition)
                })
        }
    }

    /// What `mode` says; creation when it says nothing.
    func createMode(_ parameters: Parameters) throws(RequestFault) -> WriteMode {
        guard let text = parameters["mode"] else { return .create }
        if text == "create" { return .create }
        if text == "merge" { return .merge }
        if text == "replace" { return .replace }
        if text == "ignore" { return .ignore }
        throw .parameter(
            "mode", "'mode' is create, merge, replace or ignore.",
            hint: NearestName.of(text.string, among: ["create", "merge", "replace", "ignore"]))
    }

    /// Whether the first byte of a body that is no blank opens an array.
    private static func beginsArray(_ body: UnsafeRawBufferPointer) -> Bool {
        for byte in body where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
            return byte == UInt8(ascii: "[")
        }
        return false
    }

    private func readObjects(
        _ request: Request, _ names: SchemaNames, _ scratch: RequestScratch, _ mode: WriteMode,
        _ precondition: Precondition
    ) throws(RequestFault) -> [ObjectWrite.Item] {
        let rowClass = try names.creatableClass(named: request.className)
        try rowClass.requireCreation(mode)
        if rowClass.isAsymmetric, precondition != .none {
            throw RequestFault(
                .malformed, "invalid-header",
                "If-Match and If-None-Match are about objects that can be read; leave them out of what "
                    + "an asymmetric class is sent.")
        }
        let json = try served.json(request.body, scratch.parser)
        let reader = scratch.reader
        reader.reset()
        var items: [ObjectWrite.Item] = []
        func read(_ json: JSONValue, element: Int?) {
            let reading = reader.read(
                json, as: rowClass, names: names, isMerge: mode == .merge, element: element)
            guard let reading else { return }
            if mode == .create, reading.objectKey != nil {
                reader.refuseID(element: element)
            }
            items.append(
                ObjectWrite.Item(
                    draft: reading.draft, objectKey: reading.objectKey,
                    precondition: precondition.with(version: reading.version)))
        }
        if json.kind == .array {
            items.reserveCapacity(json.count)
            for (index, element) in json.elements.enumerated() { read(element, element: index) }
        } else {
            read(json, element: nil)
        }
        if !reader.faults.isEmpty { throw reader.problem() }
        return items
    }
}
