import HTTPServer
import ObjectStore

extension RESTService {
    /// `POST /v1/classes/{class}/import`: takes NDJSON, one object a line, while it comes in.
    func importObjects(_ request: Request, _ upload: Upload) -> UploadStart {
        do throws(Problem) {
            let parameters = try Parameters(request, known: ["mode", "atomic"])
            var importOptions = ImportOptions()
            importOptions.mode = try createMode(parameters)
            importOptions.isAtomic = try parameters.flag("atomic")
            importOptions.lineByteCountMax = options.importLineByteCountMax
            importOptions.jsonDepthMax = options.jsonDepthMax
            importOptions.atomicLineCountMax = store.options.operationCountMax
            importOptions.directory = options.temporaryDirectory
            let names = RequestScratch.current.names(of: store.catalog.rows, self)
            let rowClass = try objectClass(request, names)
            try requireNDJSON(request)
            try BodyType.requireJSONAccepted(request)
            try IdempotencyKey.refuse(request)
            guard imports.enter() else { throw .tooBusy }
            let session = ImportSession(
                store, className: rowClass.definition.name, importOptions,
                onRoom: { upload.resume() })
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
        } catch {
            return .refuse(response(error))
        }
    }

    private func requireNDJSON(_ request: Request) throws(Problem) {
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
