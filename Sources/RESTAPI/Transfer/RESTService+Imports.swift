import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

// What the imports share.
extension RESTService {
    /// Starts an import whose text is the request's body.
    ///
    /// - Throws: ``RequestFault`` of ``Transfers/makeImport(_:_:onRoom:)``.
    func startImport(
        _ target: ImportTarget, _ options: ImportOptions, _ upload: Upload
    ) throws(RequestFault) -> UploadStart {
        let sink = ImportSink(try transfers.makeImport(target, options) { upload.resume() })
        sink.start { result in
            switch result {
            case nil: return nil
            case .success(let report):
                return Response.json(200) { report.write(to: $0) }
                    .with(.holdfastVersion, report.version.description)
            case .failure(let fault):
                if !fault.kind.isOfRequest {
                    self.logger.log(.error, "an import failed", ("code", .text(fault.code)))
                }
                return self.response(fault)
            }
        }
        return .accept(sink)
    }

    /// Refuses a body of another media type than NDJSON.
    func requireNDJSON(_ request: Request) throws(RequestFault) {
        if let type = mediaType(request), !Self.ndjsonTypes.contains(type) {
            throw Self.wrongImportType("application/x-ndjson", "one object a line")
        }
    }

    /// The format of the body of an import into a class, by its media type; NDJSON when none is stated.
    func importFormat(_ request: Request) throws(RequestFault) -> ImportOptions.Format {
        guard let type = mediaType(request) else { return .ndjson }
        if type == "text/csv" { return .csv }
        if Self.ndjsonTypes.contains(type) { return .ndjson }
        throw Self.wrongImportType(
            "application/x-ndjson, text/csv", "one object a line, or CSV with a header line")
    }

    private static let ndjsonTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl",
    ]

    private func mediaType(_ request: Request) -> String? {
        request.header(.contentType).map {
            $0.string.lowercased().prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        }
    }

    private static func wrongImportType(_ types: String, _ forms: String) -> RequestFault {
        RequestFault(
            .unsupportedMediaType, "unsupported-media-type",
            "This import takes \(types): \(forms). Set the header Content-Type (curl: -H "
                + "'Content-Type: application/x-ndjson').", alternatives: types)
    }
}
