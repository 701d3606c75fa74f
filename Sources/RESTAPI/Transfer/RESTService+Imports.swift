import HTTPServer
import ObjectStore

// What the imports share.
extension RESTService {
    /// The options of an import that all have.
    func importOptions(_ parameters: Parameters) throws(Problem) -> ImportOptions {
        var result = ImportOptions()
        result.mode = try createMode(parameters)
        result.lineByteCountMax = options.importLineByteCountMax
        result.jsonDepthMax = options.jsonDepthMax
        result.atomicLineCountMax = store.options.operationCountMax
        result.directory = options.temporaryDirectory
        return result
    }

    /// Starts an import whose text is the request's body.
    ///
    /// - Throws: ``Problem`` 503 when too many run.
    func startImport(
        _ target: ImportTarget, _ options: ImportOptions, _ upload: Upload
    ) throws(Problem) -> UploadStart {
        guard imports.enter() else { throw .tooBusy }
        let session = ImportSession(store, target, options) { upload.resume() }
        let sink = ImportSink(session)
        sink.start { result in
            self.imports.leave()
            switch result {
            case nil: return nil
            case .success(let report):
                return Response.json(200) { report.write(to: $0) }
                    .with(.holdfastVersion, report.version.description)
            case .failure(let problem):
                if problem.status >= 500 {
                    self.logger.log(.error, "an import failed", ("code", .text(problem.code)))
                }
                return self.response(problem)
            }
        }
        return .accept(sink)
    }

    /// Refuses a body that says to be something else than NDJSON.
    func requireNDJSON(_ request: Request) throws(Problem) {
        guard let field = request.header(.contentType) else { return }
        let type = field.string.lowercased().prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        let known = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
        guard !known.contains(type) else { return }
        var problem = Problem(
            415, "unsupported-media-type",
            "An import takes application/x-ndjson, one object a line; set the header Content-Type "
                + "(curl: -H 'Content-Type: application/x-ndjson').")
        problem.accept = "application/x-ndjson"
        throw problem
    }
}
