// The page of the operations: shows one of two OpenAPI documents, and sends requests with the token of the field.
const [choice, token, message] = ['document', 'token', 'message'].map(id => document.getElementById(id));
const KEY = 'holdfast-docs-token';

function show() {
  message.textContent = '';
  SwaggerUIBundle({
    url: choice.value,
    dom_id: '#viewer',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    requestInterceptor(request) {
      if (token.value) request.headers.Authorization = `Bearer ${token.value}`;
      return request;
    },
    responseInterceptor(response) {
      if (response.url.endsWith(choice.value)) {
        message.textContent = response.status === 401 ? 'This service needs a token: enter it here.' : '';
      }
      return response;
    },
  });
}

token.value = sessionStorage.getItem(KEY) ?? '';
token.addEventListener('change', () => {
  sessionStorage.setItem(KEY, token.value);
  show();
});
choice.addEventListener('change', show);
show();
